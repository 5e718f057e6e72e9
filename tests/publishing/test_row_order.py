"""The order of rows tells nothing, and so nothing depends on it: model, release, readings."""

import numpy as np
import pytest
from clinic import clinic

import halfmask as hm
from halfmask.data.keyed import copies, in_key_order, keys_of, numbers_of_columns
from halfmask.documents.model import any_model_bytes
from halfmask.io.given import columns_of
from halfmask.methods.generator.draw import Drawing
from halfmask.publishing.hold_out import split_table
from halfmask.randomness import Randomness


def shuffled(frame, seed):
    return frame.sample(fraction=1.0, shuffle=True, seed=seed)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"search": "krimp", "search_rows": 1_000},
        {"search": "slim", "search_rows": 500},
        {"target": "ward", "search_rows": 1_000},
    ],
)
def test_a_model_does_not_depend_on_the_order_of_rows(settings):
    frame = clinic(3_000)
    one, other = (
        any_model_bytes(hm.Generator(min_support=20, **settings).fit(data).learnt)
        for data in (frame, shuffled(frame, 1))
    )
    assert one == other


def test_a_publication_does_not_depend_on_the_order_of_rows():
    frame = clinic(2_000)
    one, other = (hm.publish(data, seed=4) for data in (frame, shuffled(frame, 1)))
    assert one.data.equals(other.data)
    assert one.first.readings.to_dict() == other.first.readings.to_dict()
    assert hm.publish(frame, seed=5).first.readings.to_dict() != one.first.readings.to_dict()


def test_the_same_people_are_held_back_whatever_their_order():
    columns = columns_of(clinic(700))
    mixed = [column.take(np.random.default_rng(1).permutation(700)) for column in columns]

    def held(rows):
        _, back = split_table(rows, 0.1, Randomness(3))
        return [column.take(back).cells for column in rows]

    assert held(columns) == held(mixed)
    _, others = split_table(columns, 0.1, Randomness(4))
    assert held(columns) != [column.take(others).cells for column in columns]


def test_copies_of_a_row_are_taken_one_by_one():
    numbers = np.array([5] * 60 + [8] * 40, np.uint64)
    taken = numbers[in_key_order(numbers, 50)]
    assert 20 < (taken == 5).sum() < 40  # about 30 of them, and neither all nor none
    keys = keys_of(numbers, copies(numbers))
    assert len(set(keys.tolist())) == 100


def test_every_set_of_rows_is_about_as_likely_to_be_taken():
    frame = clinic(400)
    columns = columns_of(frame)
    times = np.zeros(400)
    for key in range(400):
        times[in_key_order(numbers_of_columns(columns, bytes([key % 256, key // 256])), 40)] += 1
    assert abs(times.mean() - 40) < 1e-9
    assert times.var() < 1.5 * 400 * 0.1 * 0.9


@pytest.mark.parametrize("calibrate", [True, False])
def test_a_block_of_a_release_depends_on_its_seed_and_its_place_only(monkeypatch, calibrate):
    monkeypatch.setattr("halfmask.methods.calibration.choose_margins.MOST_POOL_CELLS", 1 << 15)
    monkeypatch.setattr("halfmask.methods.generator.draw.PIECE", 400)
    model = hm.Generator(min_support=20, target="ward").fit(clinic(1_000)).learnt
    whole = list(Drawing(model, 1_500, Randomness(2), calibrate=calibrate).parts())
    assert len(whole) > 2
    for number in (2, 1):  # by another drawing, and in another order
        drawing = Drawing(model, 1_500, Randomness(2), calibrate=calibrate)
        assert np.array_equal(drawing.block(number)[0].codes, whole[number].codes)
