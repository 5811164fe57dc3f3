"""Labels of points that do not lie over one another."""

from viz.retrieval.figures import label_sides


def test_a_point_by_itself_has_its_label_at_the_upper_right():
    assert label_sides([(0.3, 0.5)], ["one"]) == ["top right"]


def test_labels_stay_inside():
    assert label_sides([(0.95, 0.5)], ["a long name"]) == ["top left"]
    assert label_sides([(0.3, 0.98)], ["one"]) == ["bottom right"]


def test_neighbours_get_out_of_each_other_s_way():
    first, second = label_sides([(0.3, 0.5), (0.35, 0.51)], ["a long name", "another name"])
    assert first != second
    assert len(set(label_sides([(0.5, 0.5)] * 4, ["a long name"] * 4))) == 4
