"""The site: what `make docs` adds to the pages of docs/. mkdocs.yml is its configuration."""
