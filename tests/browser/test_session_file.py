"""A session saved in one browser session is the same in another."""

import pytest

from tests.browser.steps import embedded, eventually, open_app, paste, whole_text

TEXT = "A lighthouse has a lamp. It turns. A buoy floats. It has a bell.\n\nBread rises on yeast. Dough rests. It is baked."


@pytest.mark.full
def test_a_session_goes_through_a_file(page, app_url, tmp_path):
    open_app(page, app_url)
    paste(page, TEXT)
    page.get_by_role("heading", name="Pasted text").wait_for()
    embedded(page)
    page.get_by_text("Downloads", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="The whole session, with its text").click()
    file = tmp_path / "seamark-session.json"
    download.value.save_as(file)

    another = page.context.new_page()
    root = open_app(another, app_url)
    another.locator('[data-testid="stFileUploaderDropzoneInput"]').set_input_files(file)
    another.get_by_text("Pasted text was reopened with the same chunks in every column.").wait_for()
    eventually(lambda: whole_text(root, 0), TEXT)
    another.close()
