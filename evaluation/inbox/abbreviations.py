"""English abbreviations that end with a full stop and mostly stand inside a sentence."""

from string import ascii_lowercase

_LETTERS = " ".join(f"{letter}." for letter in ascii_lowercase + "äöü")

ABBREVIATIONS = frozenset(
    (
        "Adm. Bros. Co. Corp. Dr. Gen. Gov. Inc. Jr. Ltd. Messrs. Mr. Mrs. Ms. Mt. Ph.D. Prof. Rep. Rev. Sen. St. co. "
        "E.G. E.g. I.E. I.e. a.m. e.g. i.e. p.m. v.s. vs. "
        "Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec. "
        "Ak. Ala. Ariz. Ark. Calif. Colo. Conn. D.C. Del. Fla. Ga. Ia. Id. Ill. Ind. Kan. Kans. Ky. La. Mass. Md. "
        "Mich. Minn. Miss. Mo. Mont. N.C. N.D. N.H. N.J. N.M. N.Y. Neb. Nebr. Nev. Okla. Ore. Pa. S.C. Tenn. Va. "
        f"Wash. Wis. {_LETTERS}"
    ).split()
)
"""The abbreviations that spaCy's English tokenizer keeps together with their full stop."""
