"""Seamark: see where text chunkers cut, and why."""

import streamlit as st

from viz.compare.choices_and_session.choices import COMPARE_PAGE
from viz.components.script_bundler import VIZ_FOLDER
from viz.shell import draw_closed_shortcuts_dialog, lecture_mode, lectures_and_current_scene
from viz.shell.lecture_bar import show_lecture_bar
from viz.shell.navigation import draw_menu_and_get_page

# An icon by name would be fetched from its maker's server; the app asks nobody for anything.
st.set_page_config("Seamark", str(VIZ_FOLDER / "theme" / "icon.svg"), layout="wide", initial_sidebar_state=304)
st.html(VIZ_FOLDER / "theme" / "page.css")
lectures_and_current_scene.read_lecture_link()
page = draw_menu_and_get_page()
lectures_and_current_scene.switch_to_scene_page(page.url_path or COMPARE_PAGE)
lecture_mode.apply_lecture_styles()
draw_closed_shortcuts_dialog()
show_lecture_bar()
page.run()
with st.sidebar:
    lecture_mode.draw_button_entering_lecture_mode()
