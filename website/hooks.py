"""What MkDocs calls while it builds the site."""

import json
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from stages.tools import pages as reports
from website import home, links, neuron, reference, tour
from website.links import ROOT

# Pages that are not in docs/; whatever they and the pages of docs/ link to is on the site as well.
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
SORTABLE = "sortable"
homes: dict[str, str] = {}  # from pages of the site to the files of the repository that they show


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the reference to the navigation and, at its end, the pages that mkdocs.yml does not name."""
    assert config.nav is not None
    for section in config.nav:
        if "Reference" in section:
            section["Reference"] += [{title: name} for name, (title, _) in reference.pages().items()]
    named = json.dumps(config.nav)
    folder = Path(config.docs_dir)
    others = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    if more := [page for page in others if f'"{page}"' not in named]:
        config.nav.append({"More": more})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is not in docs/: reports, the reference, the tour, and all files that a page links to."""
    homes.clear()
    homes.update((file.src_uri, f"docs/{file.src_uri}") for file in files.documentation_pages())
    for name, (_, text) in reference.pages().items():
        files.append(File.generated(config, name, content=text))
    text, pictures = tour.render()
    page = links.address("examples/tour.py")
    files.append(File.generated(config, page, content=text))
    homes[page] = "examples/tour.py"
    for name, picture in pictures.items():
        files.append(File.generated(config, name, content=picture))
    for path in _linked([*homes.values(), *PAGES, *_reports()]):
        _add(path, files, config)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links lead to where the files are on the site; the neuron comes to life."""
    shown = homes.get(page.file.src_uri)
    if shown is None:
        return markdown
    if shown in _reports():
        same = f"../../{SORTABLE}/{shown.split('/')[1]}/"
        markdown = markdown.replace("\n", f'\n\n<a href="{same}">One file with sortable tables</a>\n', 1)
    return home.insert(reference.insert(neuron.insert(links.relative(markdown, shown))))


def on_post_build(config: MkDocsConfig) -> None:
    """Add each report once more, as one file with sortable tables."""
    reports.build(ROOT / "reports", Path(config.site_dir) / SORTABLE)


def _reports() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("reports/*/report.md"))


def _linked(pages: list[str]) -> list[str]:
    """All files outside docs/ that these pages lead to, the pages themselves included."""
    queue, found = list(pages), dict.fromkeys(pages)
    while queue:
        path = queue.pop()
        place = ROOT / path
        if place.is_dir():
            more = [f"{path}/{name.rstrip('/')}" for name in links.listed(place)]
        elif place.suffix == ".md":
            more = links.targets(place.read_text(encoding="utf-8"), path)
        else:
            continue
        new = [target for target in more if target not in found and (ROOT / target).exists()]
        found |= dict.fromkeys(new)
        queue += new
    return [path for path in found if not path.startswith("docs/") and path not in links.PAGES]


def _add(path: str, files: Files, config: MkDocsConfig) -> None:
    """Put a file of the repository on the site."""
    name, place = links.address(path), ROOT / path
    if place.suffix in links.PICTURES:
        files.append(File.generated(config, name, abs_src_path=str(place)))
    elif place.suffix == ".md":
        files.append(File.generated(config, name, content=place.read_text(encoding="utf-8")))
        homes[name] = path
    else:
        files.append(File.generated(config, name, content=links.source_page(path)))
