"""Rules for chunks that cannot be understood alone, with the words that point back in each language.

The languages are those of `POINTER_PATTERN_FUNCTIONS`.
"""

import re
from collections.abc import Iterator
from functools import cache

from chunkers import Chunk, Span
from evaluation.findings.examined_chunking import ExaminedChunking, FindingPartsIterator

# Words at the beginning of a sentence that point back to an earlier one, by language.


def _any_phrase_pattern(comma_separated_phrases: str) -> str:
    """Return a pattern that matches one of several phrases, separated by commas; ``~`` is white space."""
    return "(?:" + "|".join(word.strip().replace("~", r"\s+") for word in comma_separated_phrases.split(",")) + ")"


def _compile_alternatives(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


_CLAUSE_BEFORE_CONNECTIVE = r"(?:[^\s,.;:]+\s+){0,4}[^\s,.;:]+,\s+"
"""A short subject before a connective in commas."""


@cache
def _german_pointing_phrase_pattern() -> re.Pattern[str]:
    document_noun_pattern = _any_phrase_pattern(
        "Anleitung, Handbuch, Handbuchseite, Kapitel, Abschnitt, Artikel, Seite, Dokument, Vertrag, Gesetz, "
        "Vorschrift, Beispiel, Leitfaden"
    )
    demonstrative_pattern = r"[Dd]ies(?:e[rnms]?)?(?:\s+(?!" + document_noun_pattern + r")|\s*,)"
    pronoun_pattern = (
        r"(?:ihn|ihm|ihr|ihnen|sie|dessen|deren|(?:all(?:e[mnr]?)?\s+)?"
        + demonstrative_pattern
        + r"|jene[rnms]?|solche[rnms]?|all\s+dem)\b"
    )
    finite_verb_pattern = _any_phrase_pattern(
        "ist, sind, war, waren, wird, werden, wurde, wurden, hat, haben, hatte, gilt, galt, bedeutet, heißt, führt, führte, "
        "liegt, lag, kostet, kostete, zeigt, macht, kann, konnte, soll, muss, darf, lässt, ließ, erklärt, hilft, geht, "
        "reicht, erlaubt, verhindert, betrifft, sorgt, bringt, spart, erfordert, setzt, trifft, schützt, dauert, dauerte, "
        "klingt"
    )
    impersonal_verb_pattern = _any_phrase_pattern(
        "gibt, gab, fehlt, fehlen, lohnt, bedarf, handelt, scheint, regnet, schneit, empfiehlt, heißt, kommt, darf, dürfen, "
        "wird, werden, wurde, wurden, sind, waren, ist, war, wäre, sei, stehen, steht, bleibt, bleiben, hat, haben, kann, "
        "können, muss, müssen, könnte, könnten, dürfte, soll, sollte, sollten, geht, genügt, reicht, gelten, gilt, folgt, "
        "folgen, besteht, bestehen, entsteht, entstehen, hängt, stellt, zeigt, liegt, macht, tut, findet, finden, gelang, "
        "gelingt, dauert, geschieht, passiert"
    )
    return _compile_alternatives(
        r"(?:Er|Ihm|Ihn|Dies|Diese[rnms]|Jene[rnms]?|Solche[rnms]?|Ein(?:e|en|em)?\s+solche[rnms]?|Beides"
        r"|Letztere[rnms]?|Erstere[rnms]?)\b"
        r"(?!\s+" + document_noun_pattern + ")",
        r"Diese\b(?!\s+" + document_noun_pattern + ")",
        r"Beide\s+(?=[a-zäöü])",
        rf"Es\b(?!\s+{impersonal_verb_pattern}\b)(?=\s+[a-zäöü])",
        rf"(?:Das|Der|Die)\s+{finite_verb_pattern}\b",
        r"Sie\s+(?:ist|wird|war|wurde|hat|hatte|kann|konnte|muss|musste|soll|darf|lässt|ließ|liegt|steht|gilt"
        r"|[a-zäöüß]+(?:te|[^e\s]t))\b",
        r"(?:Seine|Deren|Dessen)[rnms]?\b",
        r"Da(?:für|mit|durch|bei|von|zu|gegen|nach|her|rin|ran|rauf|raus|rum|rüber|runter|neben|zwischen|hinter"
        r"|vor)\b(?!\s*,)",
        r"Hier(?:bei|durch|für|mit|zu|von|nach|in|auf|aus)\b",
        r"(?:Des(?:halb|wegen)|Somit|Folglich|Infolgedessen|Demnach|Dementsprechend|Trotzdem|Dennoch|Gleichwohl|Jedoch"
        r"|Allerdings"
        r"|Hingegen|Stattdessen|And(?:e)?renfalls|Ansonsten|Sonst|Außerdem|Zudem|Ferner|Überdies|Ebenso|Auch|Dann|Danach"
        r"|Anschließend|Daraufhin|Damals|Seitdem|Seither|Indessen|Aber|Doch|Und|Oder|Denn|Also|Nur\s+so|Vielmehr"
        r"|Umgekehrt|Dort"
        r"|Zuvor|Schließlich)\b",
        r"So\s+(?:ist|wird|kann|lässt|entsteht|gelingt|bleibt|war|konnte|sind|werden|spart|muss)\b",
        r"Bis\s+dahin\b|Im\s+Gegen(?:satz\s+dazu|teil|zug)\b|Zum\s+Beispiel\b",
        r"(?:Eine[rs]?|Keine[rs]?|Jede[rs]?|Einige|Viele|Manche|Die\s+meisten|Zwei|Drei|Alle|Beide)\s+(?:davon"
        r"|von\s+ihnen)\b",
        r"Jede[rs]?\s+(?:zählt|trug|trägt|hat|hatte|ist|war|kann|muss|darf|wird|bekommt|erhält|kostet|steht|liegt)\b",
        r"(?:Für|Mit|Von|Bei|Zu|Ohne|Nach|Aus|In|An|Auf|Unter|Gegen|Wegen|Durch|Vor|Über|Um|Trotz|Neben|Seit)\s+"
        + pronoun_pattern,
    )


_POLITE_ADDRESS = re.compile(r"(?<=[^.!?:\s] )(?:Sie|Ihnen|Ihre?[rnms]?)\b")
"""Address of the reader inside a German sentence, after which *Sie* at its beginning may be the reader."""

_GERMAN_THEY = re.compile(r"(?:Sie|Ihnen|Ihre?[rnms]?)\s+(?=[\wäöüß])")


@cache
def _english_pointing_phrase_pattern() -> re.Pattern[str]:
    document_noun_pattern = _any_phrase_pattern(
        "manual, section, chapter, document, article, guide, page, paper, report, example, tutorial, agreement, policy, "
        "notice, post, study, website"
    )
    demonstrative_pattern = r"(?:this|that|these|those|such)\b(?!\s+" + document_noun_pattern + ")"
    pronoun_pattern = r"(?:it|them|him|" + demonstrative_pattern + ")"
    impersonal_adjective_pattern = _any_phrase_pattern(
        "likely, unlikely, possible, impossible, important, necessary, clear, unclear, true, worth, not~enough, enough, "
        "easy, hard, difficult, best, better, recommended, advisable, common, rare, time, no, often, usual, useful, "
        "helpful, safe, a~good, hoped, known, said, thought, believed, up~to, good, wise, customary, essential, cold, hot, "
        "dark, late, early, raining, too, not~(?:possible|necessary|clear|easy|true|worth)"
    )
    return _compile_alternatives(
        rf"It\b(?!\s+(?:(?:is|was|will\s+be|would\s+be|may\s+be|'s|can\s+be|has\s+been)\s+(?:\w+ly\s+)?{impersonal_adjective_pattern}\b"
        r"|takes|took|rains|snows|seems|appears|turns|turned|follows|depends|does\s+not\s+matter"
        r"|makes\s+(?:no\s+)?sense|pays"
        r"|(?:is|was)\s+(?:the|a|an|in|on|only)\b[^.]*\b(?:that|who)\b))",
        r"(?:They|He|She|Its|Their|His|Her|Neither|Both\s+of\s+(?:them|these|those))\b",
        rf"(?:This|These|Such|That)\b(?!\s+{document_noun_pattern})(?!\s+said\b)",
        r"Those\b(?!\s+(?:who|of|that|with|in|without|which|whose|from|on|at)\b)",
        r"(?:[Oo]ne|[Ss]ome|[Nn]one|[Mm]any|[Mm]ost|[Ee]ach|[Aa]ll|[Tt]wo|[Tt]hree|[Ff]ew|[Ss]everal|[Bb]oth|[Aa]ny"
        r"|[Ee]ither|[Nn]othing|Part|Much)"
        rf"\s+of\s+(?:its|their|{pronoun_pattern})\b",
        r"Each\s+(?:is|was|has|had|counts?|can|must|may|will|comes?|costs?|holds?)\b",
        r"(?:For|In|With|On|To|From|By|After|Before|Without|At|Of|Despite|Under|During|Since|Until|Through|Because\s+of"
        r"|Like|Unlike|Beyond"
        rf"|Instead\s+of|Due\s+to|Apart\s+from|As\s+a\s+result\s+of|Besides|Except\s+for)\s+(?:all\s+)?{pronoun_pattern}\b",
        r"(?:When|If|Once|Although|While|Because|Until|Unless|Where|As\s+long\s+as|As\s+soon\s+as)\s+"
        r"(?:it\s+(?:is|was|has|does|becomes)\s+(?!cold|hot|dark|possible|necessary|raining|not\s+possible|too|clear|likely)"
        r"|they|this|that\s+(?:is|happens|was|does)|these|he|she)\b",
        r"(?:However|Therefore|Thus|Hence|Moreover|Furthermore|Nevertheless|Nonetheless|Otherwise|Instead|Consequently"
        r"|Accordingly"
        r"|Likewise|Similarly|Conversely|Meanwhile|Afterwards|Then|But|Yet|And|Or|Nor|Also|Still|Besides|Rather|Indeed"
        r"|Later),?\s"
        r"(?!(?:of|than|if|when|as)\b)",
        r"So,?\s+(?!far\b|that\b|long\b|much\b|many\b|called\b)",
        r"(?:In\s+(?:addition|contrast|return|turn|other\s+words|fact|short)|By\s+contrast|As\s+a\s+(?:result"
        r"|consequence)|On\s+the\s+"
        r"(?:other\s+hand|contrary)|For\s+(?:example|instance)|Even\s+so|Until\s+then|Since\s+then|At\s+(?:that"
        r"|the\s+same)\s+time)\b",
        _CLAUSE_BEFORE_CONNECTIVE
        + _any_phrase_pattern(
            "however, in~contrast, by~contrast, therefore, on~the~other~hand, though, for~example, in~turn, too"
        )
        + r"\b,?",
    )


@cache
def _french_pointing_phrase_pattern() -> re.Pattern[str]:
    document_noun_pattern = _any_phrase_pattern(
        "manuel, section, chapitre, document, article, guide, page, notice, contrat, exemple, règlement, rapport"
    )
    demonstrative_pattern = rf"(?:ce(?:t|tte|s)?|tel(?:le)?s?)\b(?!\s+{document_noun_pattern}|\s+qu|\s+dont)"
    pronoun_pattern = rf"(?:cel(?:a|ui-ci|le-ci)|ceux-ci|celles-ci|lui|elles?|eux|{demonstrative_pattern})\b"
    impersonal_adjective_pattern = _any_phrase_pattern(
        "probable, possible, impossible, prudent, nécessaire, important, interdit, utile, conseillé, recommandé, "
        "préférable, obligatoire, facile, difficile, vrai, clair, bon, inutile, rare, certain, essentiel, permis, temps, "
        "tard, tôt"
    )
    return _compile_alternatives(
        r"Il\b(?!\s+(?:n(?:e\s+|['’]))?(?:y\s+(?:a|avait|aura|aurait)|s['’]agi\w*|faut|fallait|faudra|convient|vaut"
        r"|suffit|manque|reste|existe"
        rf"|pleut|neige|semble|arrive|se\s+peut|(?:est|était|sera|serait)\s+(?:\w+ment\s+)?{impersonal_adjective_pattern}\b"
        rf"|doit\s+(?:pas\s+)?y|peut\s+y))",
        r"(?:Ils|Elles?|Cela|Ceci|Ça|Celle-ci|Celui-ci|Ceux-ci|Celles-ci|C['’](?:est|était)|Ce\s+(?:sont|n['’]est|sera))\b",
        rf"(?:Ce|Cet|Cette|Ces|Telles?|Tels?|Un\s+tel|Une\s+telle)\b(?!\s+(?:qui|que|qu['’]|dont|{document_noun_pattern}))",
        r"(?:Son|Sa|Ses|Leurs?)\s+(?=[a-zàâéèêîïôûœ])",
        r"(?:L['’]une?|L['’]autre|Certaine?s|D['’]autres|Aucune?|Chacune?|La\s+plupart|Beaucoup|Tous|Toutes)\s+"
        r"(?:d['’](?:eux|elles)|d['’]entre\s+(?:eux|elles)|deux)\b",
        r"(?:Chacune?|Certains|Certaines)\s+(?:est|était|a|avait|ont|compte|portait|porte|sont|doit|peut|étaient|vient"
        r"|coûte)\b",
        r"On\s+(?:ne\s+)?(?:l['’]|l[ea]s?\s|en\s|y\s|leur\s)",
        r"Il\s+y\s+en\s+(?:a|avait)",
        r"(?:Si|Quand|Lorsqu|Dès\s+qu|Comme)(?:e\s|['’]|\s)(?:il|ils|elle|elles|l['’]une?|cela|celui-ci)\b(?!\s+(?:faut"
        r"|pleut|y))",
        r"(?:Cependant|Toutefois|Néanmoins|Pourtant|Mais|Or|Donc|Ainsi|Alors|Ensuite|Puis|Sinon|Et|Ou|Car|Aussi"
        r"|Autrement|Enfin|Inversement)"
        r"(?:,|\s)(?!que\b|bien\b)",
        r"(?:Par\s+cons[ée]quent|En\s+cons[ée]quence|De\s+plus|En\s+outre|Par\s+ailleurs|En\s+revanche|Au\s+contraire"
        r"|À\s+défaut|"
        r"D['’]ici\s+là|De\s+ce\s+fait|En\s+effet|Par\s+exemple|Par\s+contre|Voilà\s+pourquoi|À\s+l['’]époque"
        r"|Malgré\s+tout|Au\s+lieu\s+de\s+cela"
        r"|De\s+même|Depuis\s+lors|D['’]où)\b",
        r"(?:Pour|Dans|De|Avec|Sans|Après|Avant|Par|Sur|Sous|Chez|Contre|Depuis|Selon|Malgré|À|En|Grâce\s+à"
        r"|À\s+cause\s+de|Outre|D['’]après)\s+" + pronoun_pattern,
        _CLAUSE_BEFORE_CONNECTIVE
        + _any_phrase_pattern(
            "en~revanche, cependant, toutefois, pourtant, au~contraire, en~effet, par~exemple, par~conséquent, donc"
        )
        + ",",
    )


@cache
def _spanish_pointing_phrase_pattern() -> re.Pattern[str]:
    document_noun_pattern = _any_phrase_pattern(
        "manual, sección, capítulo, documento, artículo, guía, página, contrato, ejemplo, aviso, informe, reglamento"
    )
    demonstrative_pattern = (
        rf"(?:est[aeo]s?|es[aeo]s?|aquel(?:l[ao]s?)?|dich[ao]s?|tal(?:es)?)\b(?!\s+{document_noun_pattern}|\s+vez|\s+que)"
    )
    impersonal_adjective_pattern = _any_phrase_pattern(
        "probable, posible, imposible, necesario, recomendable, importante, conveniente, preciso, prudente, fácil, difícil, "
        "obligatorio, mejor, aconsejable, cierto, verdad, hora, útil, decir, evidente, lógico, normal, habitual"
    )
    return _compile_alternatives(
        r"(?:Él|Ell[ao]s?|Ello|Ambos|Ambas|Sus?)\b",
        rf"(?:Est[aeo]s?|Es[aeo]s?|Aquel(?:l[ao]s?)?|Dich[ao]s?|Tal(?:es)?)\b(?!\s+{document_noun_pattern}|\s+vez|\s+que)",
        r"(?:Un[ao]|Cada\s+un[ao]|Algun[ao]s|Ningun[ao]|Much[ao]s|L[ao]s?\s+mayoría|Otr[ao]s)\s+(?:de\s+"
        r"|entre\s+)(?:ell[ao]s|est[ao]s|es[ao]s)\b",
        r"Cada\s+un[ao]\s+(?!de\b)",
        r"(?:Pueden|Deben|Tienen|Fue|Fueron|Eran?|Son|Están|Permiten|Sirven|Suelen|Llevan|Llevaban|Tenían|Necesitan?"
        r"|Contienen?|Cuelga)\b"
        rf"(?!\s+(?:{impersonal_adjective_pattern}|que|surgir|aparecer|ocurrir|producirse|existir|darse)\b)",
        rf"Es\s+(?!{impersonal_adjective_pattern}\b|que\b|un\s+\w+\s+que\b)",
        r"(?:Se\s+(?:l[eao]s?|l[eo])\s+\w+|Se\s+(?:apaga|recuerda|abre|cierra|enciende|conserva|guarda|llama))\b",
        r"(?:Si|Cuando)\s+(?:un[ao]\s+se|est[aeo]s?\b|es[aeo]s?\b|ell[ao]s?\b|él\b|no\s+lo\b|l[ao]s?\s+(?:es|son|hay)\b)",
        r"(?:Pero|Y|E|O|Además|Asimismo|También|Entonces|Luego|Después|Así|Tampoco|Finalmente|Sino)(?:,|\s+)(?!de\b"
        r"|que\b|como\b)",
        r"(?:Sin\s+embargo|No\s+obstante|Aun\s+así|Por\s+eso|Por\s+(?:lo\s+)?tanto|Por\s+ello|Por\s+esto"
        r"|Por\s+consiguiente|En\s+consecuencia"
        r"|Como\s+consecuencia|Así\s+pues|A\s+continuación|En\s+cambio|Por\s+el\s+contrario|De\s+lo\s+contrario"
        r"|En\s+su\s+defecto|Hasta\s+entonces"
        r"|Desde\s+entonces|Por\s+ejemplo|A\s+cambio|Al\s+contrario|Pese\s+a\s+todo|Mientras\s+tanto)\b",
        r"(?:Para|Con|En|De|Por|Sin|Tras|A|Ante|Según|Sobre|Desde|Hasta|Contra|Entre|Antes\s+de|Después\s+de"
        r"|Gracias\s+a|A\s+pesar\s+de|Debido\s+a"
        rf"|Además\s+de)\s+(?:todo\s+)?(?:ell[ao]s?|él|{demonstrative_pattern})",
        _CLAUSE_BEFORE_CONNECTIVE
        + _any_phrase_pattern("en~cambio, sin~embargo, no~obstante, por~el~contrario, por~(?:lo~)?tanto, por~ejemplo")
        + ",",
    )


@cache
def _chinese_pointing_phrase_pattern() -> re.Pattern[str]:
    document_noun_pattern = "(?:本|手册|份(?:说明|文件|手册|合同)|篇文章|一?[章节]|部分)"
    return _compile_alternatives(
        f"[他她它](?:们)?|其(?![他它余实])|该(?!死)|此(?!致|{document_noun_pattern})|这(?!里|{document_noun_pattern})|那(?!么多)",
        "但是?|然而|不过|可是|因此|因而|所以|于是|否则|另外|而且|并且|而(?!立)|然后|随后|之后|接着|同时|相反|反之|例如|比如|尽管如此"
        "|结果[，,]|从此|当时|作为回报|也就是说|换句话说|与此相反|同样",
        f"(?:[为对由因在从除据用和与跟像把被给让向比]|对于|关于|根据|按照|除了)(?:[他她它](?:们)?|[这那](?!里|{document_noun_pattern})|此)",
        "[^，。！？；：、\\s]{1,4}(?<![规原法细准守否总])则(?![是])",
    )


POINTER_PATTERN_FUNCTIONS = {
    "en": _english_pointing_phrase_pattern,
    "de": _german_pointing_phrase_pattern,
    "fr": _french_pointing_phrase_pattern,
    "es": _spanish_pointing_phrase_pattern,
    "zh": _chinese_pointing_phrase_pattern,
}
"""For each language code, the function that returns the pattern of sentence beginnings that point back."""


def phrase_pointing_back(sentence_beginning: str, language: str, addresses_reader: bool) -> str:
    """Return the words with which a sentence points back to an earlier one; empty if it does not begin so.

    Parameters
    ----------
    sentence_beginning
        The sentence, or its first hundred characters.
    language
        Code of its language, a key of `POINTER_PATTERN_FUNCTIONS`.
    addresses_reader
        True if its text addresses the reader by the German *Sie*, which also means *they*.
    """
    pointing_phrase_match = POINTER_PATTERN_FUNCTIONS[language]().match(sentence_beginning)
    if pointing_phrase_match is None and language == "de" and not addresses_reader:
        pointing_phrase_match = _GERMAN_THEY.match(sentence_beginning)
    return pointing_phrase_match[0].strip(" ,") if pointing_phrase_match else ""


def addresses_reader_as_sie(text: str, language: str) -> bool:
    """Return whether a German text addresses its reader by *Sie*."""
    return language == "de" and _POLITE_ADDRESS.search(text) is not None


EXAMINED_CHARACTERS_AROUND_CUT = 500
"""Characters on either side of a cut in which a condition or lead-in is sought."""

_PRECEDING_SENTENCE_REST = re.compile(r"[\s.,;:!?…。！？；：，、»”’)\]]*")
"""Characters that the sentence before may leave at the beginning of a chunk."""

_SENTENCE_END = re.compile(r"(?:[.!?…]['\"”’»)\]*_]*|[。！？；：:][”’」』）]*|\n)\s*\Z")

_SENTENCE_STOP_PATTERN = re.compile(r"[.!?…](?=\s|\Z)|[。！？]|\n")

_LIST_ITEM_MARKER = re.compile(
    r"[ \t]*(?:(?P<bullet>[-*+•–—·▪])|(?P<number>\d{1,3}[.)）])|(?P<letter>[(（]?[a-zA-Z][)）])|(?P<roman>[(（][ivx]+[)）])"
    r"|(?P<bracket>[(（]\d{1,3}[)）])|(?P<han>[(（]?[一二三四五六七八九十]{1,3}[)）、]))(?:[ \t]+|(?<=[)）、]))(?=\S)"
)
"""Mark of an item of a list or enumeration; its group is the kind of mark."""

_HEADING = re.compile(r"[ \t]*#{1,6}\s")

_CONDITIONS = {
    "en": "if|when|unless|where|provided(?:\\s+that)?|as\\s+long\\s+as|in\\s+case|once|only\\s+if|whenever"
    "|except\\s+(?:if|when|where)",
    "de": "wenn|falls|sofern|soweit|sobald|solange|es\\s+sei\\s+denn|vorausgesetzt",
    "fr": "si|lorsque|quand|à\\s+moins\\s+que|à\\s+condition\\s+que|pourvu\\s+que|dès\\s+que|sauf\\s+si|que\\s+si",
    "es": "si|cuando|a\\s+menos\\s+que|siempre\\s+que|salvo\\s+que|en\\s+caso\\s+de\\s+que|con\\s+tal\\s+de\\s+que"
    "|solo\\s+si",
    "zh": "如果|若|假如|倘若|除非|只要|一旦|凡",
}
"""Conjunctions of conditions, by the code of the language."""

_ANNOUNCEMENTS = {
    "en": r"(?:as\s+follows|(?:the|these)\s+following(?:\s+(?!day|week|month|year|morning|evening|night|season)[\w-]+){0,2}"
    r"|listed\s+(?:here|below)|in\s+the\s+following\s+\w+)",
    "de": r"(?:wie\s+folgt|folgendermaßen|(?:auf\s+)?folgende\s+(?:Weise|Art)|Folgendes)",
    "fr": r"(?:comme\s+suit|de\s+la\s+(?:manière|façon)\s+suivante|ce\s+qui\s+suit|les?\s+\w+\s+suivante?s?)",
    "es": r"(?:como\s+sigue|de\s+la\s+siguiente\s+(?:manera|forma)|del\s+siguiente\s+modo|lo\s+siguiente"
    r"|l[ao]s\s+\w+\s+siguientes)",
    "zh": r"(?:如下|以下[^，。]{0,6}|下列[^，。]{0,6})",
}
"""Ends of sentences that announce what follows, by the code of the language."""

_GERMAN_ANNOUNCEMENT_END = re.compile(r"\bwie\s+folgt\b[^.:]{0,60}\.\Z")
"""The German verb may stand behind the announcement."""


def find_dangling_starts(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    """Find chunks whose first sentence begins with words that point back to an earlier chunk."""
    document_text, language = examined_chunking.chunking.document.text, examined_chunking.language
    if language not in POINTER_PATTERN_FUNCTIONS:
        return
    is_reader_addressed_in_text = addresses_reader_as_sie(document_text, language)
    for chunk, chunk_text_start in _non_first_chunk_text_starts(examined_chunking):
        if (
            not _begins_sentence(document_text, chunk_text_start)
            or _LIST_ITEM_MARKER.match(document_text, chunk_text_start)
            or not examined_chunking.is_in_prose(chunk_text_start)
        ):
            continue
        sentence_stop_match = _SENTENCE_STOP_PATTERN.search(document_text, chunk_text_start, chunk.end)
        first_sentence_end = sentence_stop_match.end() if sentence_stop_match else chunk.end
        if pointing_phrase := phrase_pointing_back(
            document_text[chunk_text_start : min(first_sentence_end, chunk_text_start + 160)],
            language,
            is_reader_addressed_in_text,
        ):
            yield (
                Span(chunk_text_start, first_sentence_end),
                0.6,
                f"the chunk begins with “{pointing_phrase}”, which points back to an earlier one",
            )


def find_missing_lead_ins(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    """Find chunks that begin with items, code or clauses whose lead-in or condition stands in an earlier chunk."""
    document_text, language = examined_chunking.chunking.document.text, examined_chunking.language
    if language not in POINTER_PATTERN_FUNCTIONS:
        return
    lead_in_by_item: dict[tuple[int, str], str] = {}
    for chunk, chunk_text_start in _non_first_chunk_text_starts(examined_chunking):
        cut_offset, line_end = chunk.start, document_text.find("\n", chunk_text_start, chunk.end)
        first_line_span = Span(chunk_text_start, line_end if line_end > 0 else chunk.end)
        item_marker_match = _LIST_ITEM_MARKER.match(document_text, chunk_text_start)
        if (
            item_marker_match is not None
            and _begins_line(document_text, chunk_text_start)
            and examined_chunking.is_in_prose(chunk_text_start)
        ):
            lead_in_sentence = _list_lead_in_sentence(
                document_text, chunk_text_start, item_marker_match.lastgroup or "", language, lead_in_by_item
            )
        else:
            lead_in_sentence = (
                _announcement_before_cut(document_text, cut_offset, language)
                if examined_chunking.is_in_prose(max(0, cut_offset - 2))
                else ""
            )
        if lead_in_sentence and lead_in_sentence in chunk.context:
            continue
        if lead_in_sentence:
            yield first_line_span, 0.65, f"its lead-in, “{_shorten_phrase(lead_in_sentence)}”, is in an earlier chunk"
        elif conditional_clause_at_cut := _conditional_clause_at_cut(examined_chunking, cut_offset, language):
            yield (
                first_line_span,
                0.65,
                f"the cut parts the condition “{_shorten_phrase(conditional_clause_at_cut)}” from what depends on it",
            )


def _non_first_chunk_text_starts(examined_chunking: ExaminedChunking) -> Iterator[tuple[Chunk, int]]:
    """Yield each chunk but the first, and where its text begins after what the sentence before left."""
    document_text = examined_chunking.chunking.document.text
    for chunk in examined_chunking.chunking.chunks[1:]:
        leading_punctuation_match = _PRECEDING_SENTENCE_REST.match(document_text, chunk.start, chunk.end)
        start_after_leftover_punctuation = leading_punctuation_match.end() if leading_punctuation_match else chunk.start
        if start_after_leftover_punctuation < chunk.end:
            yield chunk, start_after_leftover_punctuation


def _begins_sentence(text: str, start: int) -> bool:
    """Return whether a sentence can begin at an offset, whatever the splitter took for one."""
    preceding_characters = text[max(0, start - 20) : start]
    return (not preceding_characters.strip() or _SENTENCE_END.search(preceding_characters) is not None) and not text[
        start
    ].islower()


def _begins_line(text: str, start: int) -> bool:
    return not text[text.rfind("\n", 0, start) + 1 : start].strip()


def _list_lead_in_sentence(
    text: str,
    list_item_start: int,
    item_marker_kind: str,
    language: str,
    list_lead_in_by_item_line: dict[tuple[int, str], str],
) -> str:
    """Return the sentence that introduces the list of an item; empty if none does.

    ``list_lead_in_by_item_line`` holds the results of earlier calls, by line and kind of mark, so that no list is walked
    twice.
    """
    item_line_start = text.rfind("\n", 0, list_item_start) + 1
    lead_in_sentence, preceding_line_end_offset = "", item_line_start
    while preceding_line_end_offset > 0:
        preceding_line_start = text.rfind("\n", 0, preceding_line_end_offset - 1) + 1
        preceding_line_text = text[
            max(preceding_line_start, preceding_line_end_offset - EXAMINED_CHARACTERS_AROUND_CUT) : preceding_line_end_offset
        ].strip()
        if (preceding_line_start, item_marker_kind) in list_lead_in_by_item_line:
            lead_in_sentence = list_lead_in_by_item_line[preceding_line_start, item_marker_kind]
            break
        preceding_line_end_offset = preceding_line_start
        if not preceding_line_text:
            continue
        if _announces_what_follows(preceding_line_text, language):
            lead_in_sentence = "" if _HEADING.match(preceding_line_text) else _last_sentence(preceding_line_text)
            break
        item_marker_match = _LIST_ITEM_MARKER.match(text, preceding_line_start)
        is_indented_continuation = text[preceding_line_start : preceding_line_start + 2].isspace() and not item_marker_match
        if not is_indented_continuation and (item_marker_match is None or item_marker_match.lastgroup != item_marker_kind):
            break
    list_lead_in_by_item_line[item_line_start, item_marker_kind] = lead_in_sentence
    return lead_in_sentence


def _announcement_before_cut(text: str, cut_offset: int, language: str) -> str:
    """Return the last line before a cut if it announces what follows; empty otherwise."""
    text_before_cut = text[max(0, cut_offset - EXAMINED_CHARACTERS_AROUND_CUT) : cut_offset].rstrip()
    last_line_before_cut = text_before_cut[text_before_cut.rfind("\n") + 1 :]
    return (
        ""
        if _HEADING.match(last_line_before_cut) or not _announces_what_follows(last_line_before_cut, language, at_cut=True)
        else _last_sentence(last_line_before_cut)
    )


def _last_sentence(line: str) -> str:
    return re.split(r"(?<=[.!?…])\s+(?=\S)|(?<=[。！？])(?=\S)", line)[-1]


def _announces_what_follows(line: str, language: str, *, at_cut: bool = False) -> bool:
    """Return whether a line announces what follows."""
    if line.endswith((":", "：")):
        return True
    if re.search(rf"\b{_ANNOUNCEMENTS[language]}[.。]?\Z", line) or (
        language == "de" and _GERMAN_ANNOUNCEMENT_END.search(line)
    ):
        return True
    return not at_cut and re.search(rf"\b(?:{_CONDITIONS[language]})\Z", line) is not None


def _conditional_clause_at_cut(examined_chunking: ExaminedChunking, cut_offset: int, language: str) -> str:
    """Return the condition in or at whose end a sentence is cut; empty if there is none."""
    if not examined_chunking.is_in_prose(cut_offset):
        return ""
    document = examined_chunking.chunking.document
    sentence_start, sentence_end = document.sentences[document.sentence_at(cut_offset)]
    sentence_start, sentence_end = (
        max(sentence_start, cut_offset - EXAMINED_CHARACTERS_AROUND_CUT),
        min(sentence_end, cut_offset + EXAMINED_CHARACTERS_AROUND_CUT),
    )
    sentence_text_before_cut, rest_of_cut_sentence = (
        document.text[sentence_start:cut_offset].lstrip(" .。"),
        document.text[cut_offset:sentence_end],
    )
    if not sentence_text_before_cut.strip() or not re.search(r"\w", rest_of_cut_sentence):
        return ""
    sentence_text_before_cut = re.split(r"[.!?。！？]\s*(?=\S)", sentence_text_before_cut)[-1]
    last_clause_before_cut = re.split(r"[,，;；]\s*", sentence_text_before_cut)[-1]
    conditional_word_pattern = rf"(?:{_CONDITIONS[language]})"
    word_boundary_pattern = "" if language == "zh" else r"\b"
    condition_before_cut_match = re.match(
        rf"\s*{conditional_word_pattern}{word_boundary_pattern}", last_clause_before_cut, re.IGNORECASE
    )
    if condition_before_cut_match and re.search(r"\w", last_clause_before_cut):
        return last_clause_before_cut.strip()
    condition_after_cut_match = re.match(
        rf"\s*,?\s*{conditional_word_pattern}{word_boundary_pattern}", rest_of_cut_sentence, re.IGNORECASE
    )
    if condition_after_cut_match and re.search(r"\w", sentence_text_before_cut):
        return rest_of_cut_sentence.strip()
    return ""


def _shorten_phrase(phrase: str, max_characters: int = 60) -> str:
    words_on_one_line = " ".join(phrase.split())
    return words_on_one_line if len(words_on_one_line) <= max_characters else f"{words_on_one_line[: max_characters - 1]}…"
