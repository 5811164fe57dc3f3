"""Seamark: see where text chunkers cut, and why."""

import streamlit as st

from viz.compare.choices_and_session.choices import COMPARE_PAGE
from viz.components.script_bundler import VIZ_FOLDER
from viz.shell import current_lecture, lecture_mode, show_shortcuts_dialog
from viz.shell.lecture_bar import show_lecture_bar
from viz.shell.navigation import show_page_menu

# An icon by name would be fetched from its maker's server; the app asks nobody for anything.
st.set_page_config("Seamark", str(VIZ_FOLDER / "theme" / "icon.svg"), layout="wide", initial_sidebar_state=304)
st.html(VIZ_FOLDER / "theme" / "page.css")
current_lecture.read_lecture_link()
page = show_page_menu()
current_lecture.switch_to_scene_page(page.url_path or COMPARE_PAGE)
lecture_mode.apply_lecture_styles()
show_shortcuts_dialog()
show_lecture_bar()
page.run()
with st.sidebar:
    lecture_mode.show_lecture_button()
