"""Downloads: what differs anywhere has another file name, by which Streamlit tells files apart."""

from viz.components.page_elements import show_download_button


class Place:
    def __init__(self):
        self.names = []

    def download_button(self, label, data, name, mime, **options):
        self.names.append(name)


def name_of(of, name="seamark-recursive.recipe.json"):
    place = Place()
    show_download_button(place, "Recipe", lambda: "", name, "application/json", of)
    return place.names[0]


def test_two_texts_that_differ_in_the_middle_are_two_files():
    text = "tide " * 300_000
    other = text[:375_000] + "salt " + text[375_005:]
    assert name_of(text) != name_of(other)
    assert name_of(text) == name_of("tide " * 300_000)


def test_the_ending_stays_whole():
    stem, _, ending = name_of("text").partition(".")
    assert stem.startswith("seamark-recursive-")
    assert ending == "recipe.json"
    assert name_of("a lone surrogate \ud800").startswith("seamark-recursive-")
