"""Models for measurements that both this program and llama.cpp read.

    python make_models.py f32 MODEL.gguf OUT.gguf         the same weights in f32
    python make_models.py q8_0 MODEL.gguf OUT.gguf        matrices in Q8_0 (or q4_0, q4_1), the rest in f32
    python make_models.py random VOCABULARY.gguf OUT.gguf the shape of Qwen2.5 0.5B with random weights in Q8_0

VOCABULARY.gguf is any file with a Qwen2 tokenizer, such as llama.cpp's models/ggml-vocab-qwen2.gguf.
Needs the packages gguf and numpy.
"""

import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter
from gguf.quants import dequantize, quantize

HIDDEN, LAYERS, HEADS, KV_WIDTH, FEED_FORWARD = 896, 24, 14, 128, 4864


def copy_metadata(reader, writer, leave_out):
    for field in reader.fields.values():
        if field.name.startswith(("GGUF.", *leave_out)) or field.name == "general.architecture":
            continue
        kind = field.types[0]
        of_items = [field.types[-1]] if kind == GGUFValueType.ARRAY else []
        writer.add_key_value(field.name, field.contents(), kind, *of_items)


def write(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def of_kind(kind, source, out):
    kind = GGMLQuantizationType[kind.upper()]
    reader = GGUFReader(source)
    writer = GGUFWriter(out, reader.get_field("general.architecture").contents())
    copy_metadata(reader, writer, ["general.file_type", "general.quantization_version"])
    writer.add_file_type({"F32": 0, "Q4_0": 2, "Q4_1": 3, "Q8_0": 7}[kind.name])
    writer.add_quantization_version(2)
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if values.ndim == 1 or kind == GGMLQuantizationType.F32:
            writer.add_tensor(tensor.name, values)
        else:
            writer.add_tensor(tensor.name, quantize(values, kind), raw_dtype=kind)
    write(writer)


def random_weights(vocabulary, out):
    reader = GGUFReader(vocabulary)
    writer = GGUFWriter(out, "qwen2")
    copy_metadata(reader, writer, ["general.file_type", "qwen2."])
    tokens = len(reader.get_field("tokenizer.ggml.tokens").contents())
    writer.add_block_count(LAYERS)
    writer.add_context_length(32768)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_WIDTH * HEADS // HIDDEN)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    writer.add_file_type(7)
    writer.add_quantization_version(2)
    draws = np.random.default_rng(0)

    def matrix(name, outputs, inputs):
        values = draws.standard_normal((outputs, inputs), dtype=np.float32) * inputs**-0.5
        kind = GGMLQuantizationType.Q8_0
        writer.add_tensor(name, quantize(values, kind), raw_dtype=kind)

    def ones(name):
        writer.add_tensor(name, np.ones(HIDDEN, np.float32))

    matrix("token_embd.weight", tokens, HIDDEN)
    ones("output_norm.weight")
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        ones(block + "attn_norm.weight")
        ones(block + "ffn_norm.weight")
        for name, outputs in [("q", HIDDEN), ("k", KV_WIDTH), ("v", KV_WIDTH)]:
            matrix(f"{block}attn_{name}.weight", outputs, HIDDEN)
            writer.add_tensor(f"{block}attn_{name}.bias", draws.standard_normal(outputs, dtype=np.float32) * 0.01)
        matrix(block + "attn_output.weight", HIDDEN, HIDDEN)
        matrix(block + "ffn_gate.weight", FEED_FORWARD, HIDDEN)
        matrix(block + "ffn_up.weight", FEED_FORWARD, HIDDEN)
        matrix(block + "ffn_down.weight", HIDDEN, FEED_FORWARD)
    write(writer)


if __name__ == "__main__":
    kind, *paths = sys.argv[1:]
    random_weights(*paths) if kind == "random" else of_kind(kind, *paths)
