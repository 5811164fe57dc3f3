"""A small model with its words, and texts for it."""

WORDS = ["the", "cat", "sat", "on", "a", "mat", "tide", "came", "in", "and", "bread", "needs", "salt", "##s", ".", ",", "?"]
TEXTS = ["The cat sat on the mat.", "Bread needs salt.", "The tide came in, and in.", "On and on?"]


def make_model(folder, seed=0):
    """Save a sentence-transformers model of two small layers."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    torch.manual_seed(seed)
    folder.mkdir()
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
    config = BertConfig(
        vocab_size=len(WORDS) + 5, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    BertModel(config).save_pretrained(folder / "bert")
    BertTokenizer(str(vocabulary)).save_pretrained(folder / "bert")
    transformer = Transformer(str(folder / "bert"), max_seq_length=12)
    SentenceTransformer(modules=[transformer, Pooling(16)], device="cpu").save(str(folder / "model"))
    return folder / "model"
