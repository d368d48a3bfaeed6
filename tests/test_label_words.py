from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheels.label_words import label_of

LABELS = {
    "sgl_kernel-0.3.21+cu130-cp310-abi3-manylinux2014_x86_64.whl": "cu130",
    "flash_attn-2.8.3.cu128torch2.9-cp310-cp310-linux_x86_64.whl": "cu128torch2.9",
    "sageattention-2.2.0-cu130-sm120-cp311-linux_x86_64.whl": "cu130.sm120",
    "torch-2.9.0-cp313-cp313-manylinux_2_28_x86_64-cuda12.6.whl": "cuda12.6",
    "lilbee_engine-1.0-1.vulkan-py3-none-any.whl": "1.vulkan",
    "fastertransformer-main+b0b4ee2c-py3-none-any.whl": "b0b4ee2c main",
    "attrs-25.3.0-py3-none-any.whl": "",
    "": "",
}


@pytest.mark.parametrize(("filename", "label"), LABELS.items(), ids=LABELS)
def test_the_label_is_found_wherever_it_stands(filename: str, label: str) -> None:
    assert label_of(filename) == label


@given(st.text())
def test_any_text_has_a_label_or_none(text: str) -> None:
    assert label_of(text) == label_of(text)
