"""Steps that several browser tests take."""

READY = 120_000
"""Milliseconds that loading the model may take on a busy machine."""


def open_app(page, url, query=""):
    """Open the app and wait until every column has its chunks; return the reader's root."""
    page.goto(f"{url}/{query}")
    root = page.locator(".seamark")
    root.locator("h1").wait_for(timeout=READY)
    embedded(page)
    return root


def embedded(page):
    """Wait until no column waits for embeddings and the script stands still."""
    until(page, "(reader) => reader.columns.length && reader.columns.every((column) => column.segments && column.filled)")
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').getAttribute('data-test-script-state') === 'notRunning'"
    )


def until(page, condition, timeout=READY):
    """Wait until ``condition``, a function of the reader in JavaScript, holds."""
    probe = """(condition) => {
      const find = (node) => {
        for (const host of node.querySelectorAll('*')) {
          const found = host.shadowRoot?.querySelector('.seamark');
          if (found?.reader?.data) return found.reader;
        }
      };
      const reader = find(document);
      return reader && eval(condition)(reader);
    }"""
    page.wait_for_function(probe, arg=condition, timeout=timeout)


def chunks(root, column):
    """Return the text of every chunk of a column, as it stands on the page."""
    return root.evaluate(
        "(root, column) => root.reader.columns[column].body.querySelectorAll('.chunk').values()"
        ".map((chunk) => chunk.textContent).toArray()",
        column,
    )


def whole_text(root, column):
    """Return all text of a column."""
    return root.evaluate("(root, column) => root.reader.columns[column].body.textContent", column)


def paste(page, text):
    """Choose the own text, and paste into its box."""
    choose(page, "Document", "Your own text")
    box = page.get_by_label("Text", exact=True)
    box.fill(text)
    box.press("Control+Enter")


def choose(page, label, option):
    """Choose an option of a select box in the side bar."""
    page.get_by_label(label).first.click()
    page.get_by_role("option", name=option).first.click()
