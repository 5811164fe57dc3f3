"""Model folders of sentence-transformers that this package's BERT encoder computes exactly."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chunkers.embedders.numpy_bert_encoder import WEIGHTS_FILE, BertEncoder, BertNetwork, Pooling, read_tensors

_POOLING_MODE_BY_SETTING_KEY = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""Modes by the names that older versions give them, each true or false."""

_TEXT_MODULE_SETTING_VALUES = {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}

_SUPPORTED_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "config.json": {
        "model_type": "bert",
        "hidden_act": "gelu",
        "position_embedding_type": "absolute",
        "is_decoder": False,
        "add_cross_attention": False,
        "dtype": "float32",
        "torch_dtype": "float32",
        "quantization_config": None,
    },
    "config_sentence_transformers.json": {
        "model_type": "SentenceTransformer",
        "default_prompt_name": None,
        "truncate_dim": None,
    },
    "sentence_bert_config.json": {
        "transformer_task": "feature-extraction",
        "modality_config": _TEXT_MODULE_SETTING_VALUES,
        "module_output_name": "token_embeddings",
    },
}
"""The settings that the encoder follows, file by file; a setting may be left out."""

_SETTINGS_READ_HERE = {"sentence_bert_config.json": {"max_seq_length", "do_lower_case"}}
"""Settings that are read here, of the files in which any other setting may change the vectors."""

_SPECIAL_TOKEN_KEYS = ("unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class _UnsupportedModel(Exception):
    """The folder holds a model of another kind."""


def read_encoder(folder: Path) -> BertEncoder | None:
    """Read the encoder in a model folder; None if the model uses features that this package does not reproduce exactly.

    The weights are read into memory, because a user's own model may be retrained and saved while it is in use.
    """
    try:
        return _read_supported_encoder(folder)
    except (_UnsupportedModel, OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        # Whatever is missing or torn: sentence-transformers says so, or reads it all the same.
        return None


def _read_supported_encoder(folder: Path) -> BertEncoder:
    settings_by_file_name = {name: _read_json_object(folder / name) for name in _SUPPORTED_SETTINGS}
    for settings_file_name, supported_settings in _SUPPORTED_SETTINGS.items():
        for setting_name, setting_value in supported_settings.items():
            _require_supported(
                settings_by_file_name[settings_file_name].get(setting_name, setting_value) in (setting_value, None)
            )
    model_config, sentence_bert_config = (
        settings_by_file_name["config.json"],
        settings_by_file_name["sentence_bert_config.json"],
    )
    _require_supported(model_config["model_type"] == "bert" and model_config["hidden_act"] == "gelu")
    _require_supported(
        not sentence_bert_config.keys()
        - _SUPPORTED_SETTINGS["sentence_bert_config.json"].keys()
        - _SETTINGS_READ_HERE["sentence_bert_config.json"]
    )
    _require_supported(not (folder / "adapter_config.json").exists())
    row_pooling_method = _read_pooling(folder)
    tokenizer_config = _read_json_object(folder / "tokenizer_config.json")
    model_token_limit = sentence_bert_config.get("max_seq_length") or tokenizer_config["model_max_length"]
    _require_supported(
        isinstance(model_token_limit, int) and 2 < model_token_limit <= model_config["max_position_embeddings"]
    )
    tokenizer = _read_tokenizer(folder, tokenizer_config, bool(sentence_bert_config.get("do_lower_case")))
    weight_tensor_by_name = read_tensors(folder / WEIGHTS_FILE, is_memory_mapped=False)
    attention_head_count = model_config["num_attention_heads"]
    _require_supported(
        model_config["hidden_size"] % attention_head_count == 0 and tokenizer.get_vocab_size() <= model_config["vocab_size"]
    )
    _require_supported(
        {name: tensor.shape for name, tensor in weight_tensor_by_name.items() if name.startswith(_USED_WEIGHT_PREFIXES)}
        == _expected_weight_shapes(model_config)
    )
    return BertEncoder(
        tokenizer,
        BertNetwork(
            weight_tensor_by_name, attention_head_count, model_config.get("layer_norm_eps", 1e-12), row_pooling_method
        ),
        model_token_limit,
    )


_USED_WEIGHT_PREFIXES = ("embeddings.", "encoder.")


def _expected_weight_shapes(model_config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights of a model with these settings, by name."""
    width, intermediate_width = model_config["hidden_size"], model_config["intermediate_size"]
    weight_shape_by_name: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (model_config["vocab_size"], width),
        "embeddings.position_embeddings.weight": (model_config["max_position_embeddings"], width),
        "embeddings.token_type_embeddings.weight": (model_config["type_vocab_size"], width),
    }
    normalisation_layer_names, matrix_shape_by_name = ["embeddings.LayerNorm"], {}
    for layer_number in range(model_config["num_hidden_layers"]):
        layer_name_prefix = f"encoder.layer.{layer_number}"
        normalisation_layer_names += [
            f"{layer_name_prefix}.attention.output.LayerNorm",
            f"{layer_name_prefix}.output.LayerNorm",
        ]
        for attention_part_name in ("self.query", "self.key", "self.value", "output.dense"):
            matrix_shape_by_name[f"{layer_name_prefix}.attention.{attention_part_name}"] = (width, width)
        matrix_shape_by_name |= {
            f"{layer_name_prefix}.intermediate.dense": (intermediate_width, width),
            f"{layer_name_prefix}.output.dense": (width, intermediate_width),
        }
    for layer_or_matrix_name in normalisation_layer_names:
        weight_shape_by_name |= {f"{layer_or_matrix_name}.weight": (width,), f"{layer_or_matrix_name}.bias": (width,)}
    for layer_or_matrix_name, matrix_shape in matrix_shape_by_name.items():
        weight_shape_by_name |= {
            f"{layer_or_matrix_name}.weight": matrix_shape,
            f"{layer_or_matrix_name}.bias": matrix_shape[:1],
        }
    return weight_shape_by_name


def _read_pooling(folder: Path) -> Pooling:
    """Return the pooling of the rows; raises _UnsupportedModel unless the modules are BERT, pooling, maybe normalisation."""
    module_descriptions = json.loads((folder / "modules.json").read_text())
    module_types = [module["type"].rpartition(".") for module in module_descriptions]
    _require_supported(all(package.startswith("sentence_transformers.") for package, _, _ in module_types))
    # The vectors are scaled to length 1 in any case.
    _require_supported(
        [name for _, _, name in module_types] in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
    )
    _require_supported(module_descriptions[0]["path"] == "")
    pooling_module_settings = _read_json_object(folder / module_descriptions[1]["path"] / "config.json")
    pooling_mode_or_modes = pooling_module_settings.get("pooling_mode") or [
        called for key, called in _POOLING_MODE_BY_SETTING_KEY.items() if pooling_module_settings.get(key)
    ]
    for pooling_mode in ("mean", "cls"):
        if pooling_mode_or_modes in (pooling_mode, [pooling_mode]):
            return pooling_mode
    raise _UnsupportedModel


def _read_tokenizer(folder: Path, tokenizer_config: Mapping[str, Any], lowers_case: bool) -> Any:
    """Return the tokenizer; raises _UnsupportedModel if it is not BERT's own, as the two files describe it alike.

    The transformers library makes BERT's tokenizer anew from its vocabulary and the settings in ``tokenizer_config.json``,
    whatever else is in ``tokenizer.json``.
    """
    from tokenizers import Tokenizer, normalizers

    tokenizer_json = _read_json_object(folder / "tokenizer.json")
    _require_supported(tokenizer_config["tokenizer_class"] in ("BertTokenizer", "BertTokenizerFast"))
    model_json, normalizer_settings = tokenizer_json["model"], tokenizer_json["normalizer"]
    supported_normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": tokenizer_config.get("tokenize_chinese_chars", True),
        "strip_accents": tokenizer_config.get("strip_accents"),
        "lowercase": tokenizer_config.get("do_lower_case", True),
    }
    _require_supported(normalizer_settings == supported_normalizer)
    _require_supported(tokenizer_json["pre_tokenizer"] == {"type": "BertPreTokenizer"})
    special_tokens = {
        key: tokenizer_config.get(key, f"[{key[:3].upper() if key != 'mask_token' else 'MASK'}]")
        for key in _SPECIAL_TOKEN_KEYS
    }
    _require_supported({added["content"] for added in tokenizer_json["added_tokens"]} == set(special_tokens.values()))
    _require_supported(
        not any(added[side] for added in tokenizer_json["added_tokens"] for side in ("lstrip", "rstrip", "single_word"))
    )
    tokenizer_model_settings = [
        model_json[key] for key in ("type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word")
    ]
    _require_supported(tokenizer_model_settings == ["WordPiece", special_tokens["unk_token"], "##", 100])
    tokenizer = Tokenizer.from_str(json.dumps(tokenizer_json))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if lowers_case:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), tokenizer.normalizer])
    _require_supported(
        tokenizer.encode("").ids == [tokenizer.token_to_id(special_tokens[key]) for key in ("cls_token", "sep_token")]
    )
    return tokenizer


def _read_json_object(path: Path) -> dict[str, Any]:
    """Return the settings of a file."""
    json_file_settings = json.loads(path.read_text(encoding="utf-8"))
    _require_supported(isinstance(json_file_settings, dict))
    return json_file_settings  # type: ignore[no-any-return]  # as just checked


def _require_supported(is_supported: bool) -> None:
    if not is_supported:
        raise _UnsupportedModel
