"""The stages of the pipeline, one verb-named entrypoint each, and how they are configured."""
