from perfgate.compiler.placement import host_scopes, is_below, resident_tensors


def test_names_are_read_from_lists_and_nothing_else() -> None:
    assert resident_tensors({"resident": '["a", "b"]'}) == {"a", "b"}
    assert host_scopes({"host_scopes": '["a"]'}) == ("a",)
    for text in ("", "{", '{"a": 1}', "3"):
        assert resident_tensors({"resident": text}) == frozenset()
    assert host_scopes({}) == ()


def test_a_scope_is_below_its_own_root_but_not_below_a_name_that_begins_alike() -> None:
    assert is_below("model.head", ("model.head",))
    assert is_below("model.head.nms", ("model.head",))
    assert not is_below("model.header", ("model.head",))
