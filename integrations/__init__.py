"""A recipe in other people's pipelines: the chunks of the page from LangChain, LlamaIndex, Haystack and Chonkie.

Each library's class is in a module of its own, which needs that library: `seamark.integrations.langchain`,
`seamark.integrations.llama_index`, `seamark.integrations.haystack` and `seamark.integrations.chonkie`.
`seamark.integrations.recipe_code` writes the code that uses them, and that which sets up the libraries' own chunkers where
they do the same.
"""

from integrations.recipe_cutter import Cutter, recipe_of

__all__ = ["Cutter", "recipe_of"]
