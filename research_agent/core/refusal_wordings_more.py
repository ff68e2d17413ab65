"""The wordings of Indonesian, Chinese, German, French and Spanish; see `core.refusal_wordings`."""

from research_agent.core.refusal_wordings import Wordings, wording

_ID_NOUN = (
    r"(?:dokumen|konteks|teks|bukti|kutipan|sumber|potongan|materi|informasi|berkas|data|halaman)"
)
_ID_SURE = (
    rf"(?:semua |potongan |isi )?{_ID_NOUN}(?:-\w+)?(?: \w+)?(?: yang)? (?:diberikan|tersedia|"
    r"disediakan|ada|disertakan|terlampir)|konteks(?: ini| tersebut)?|dokumen-dokumen(?: \w+)?"
)
_ID_SOURCE = rf"{_ID_SURE}|{_ID_NOUN}(?: ini| tersebut| itu)?"
_ID_NOT = r"(?:tidak|tak|belum)(?: dapat| bisa| pernah)?(?: secara \w+)?"
_ID_PASSIVE = (
    r"(?:ditemukan|disebutkan|disebut|dijelaskan|tercantum|tersedia|dinyatakan|terdapat|ada|"
    r"dicantumkan|diberikan|dibahas|diketahui|ditentukan|dijawab|terjawab|dimuat|disediakan)"
)
_ID_ACTIVE = (
    r"(?:memuat|menyebutkan|menyebut|mencantumkan|menjelaskan|menyediakan|berisi|mengandung|"
    r"memberikan|menyatakan|membahas|mencakup|menentukan|menjawab|memiliki|cukup|memadai)"
)

INDONESIAN = Wordings(
    sure=wording(
        r"{not} {passive}(?:(?: \w+)? (?:di|pada|oleh)(?: dalam)? {sure}| dalam {sure})?",
        r"{sure} {not} {active}\b.*",
        r".{0,200}\b{not} {passive}\b.{0,60}(?:di|dalam|pada|oleh)(?: dalam)? {sure}",
        r"(?:di |dalam |pada )*{sure} {not} {passive}\b.*",
        r"(?:di |dalam |pada )*{sure} (?:tidak|tak) ada\b.*",
        r"(?:tidak|tak|belum) (?:ada|ditemukan|terdapat|tersedia|cukup|ada cukup) "
        r"(?:informasi|jawaban|data|bukti|keterangan|penjelasan)\b.*",
        r"(?:saya|kami|aku) (?:tidak|tak|belum) (?:dapat|bisa|tahu|mengetahui|menemukan|mampu|"
        r"memiliki)\b.*",
        r"(?:jawaban|informasi|pertanyaan|hal)(?:nya)?(?: \w+){0,4} {not} {passive}\b.{0,80}",
        r"tidak diketahui|tidak ada|tidak ada jawaban|informasi tidak cukup",
        **{"not": _ID_NOT},
        passive=_ID_PASSIVE,
        active=_ID_ACTIVE,
        sure=_ID_SURE,
    ),
    perhaps=wording(
        r"(?:{source}) {not} {active}\b.*",
        r".{0,200}\b{not} {passive}\b.{0,60}(?:di|dalam|pada|oleh)(?: dalam)? (?:{source})",
        **{"not": _ID_NOT},
        passive=_ID_PASSIVE,
        active=_ID_ACTIVE,
        source=_ID_SOURCE,
    ),
    lead=wording(
        r"(?:maaf|mohon maaf|sayangnya|namun|tetapi|tapi|akan tetapi|selain itu|jadi|"
        r"dengan demikian)\b[,:.]?(?: tetapi| namun)?",
        r"(?:berdasarkan|menurut|dari|dalam|pada) (?:{source}),",
        r"jawaban:",
        source=_ID_SOURCE,
    ),
    after=wording(
        r"(?:silakan|mohon|tolong|harap|jika anda|bila anda|apabila anda|anda (?:dapat|bisa)|"
        r"untuk (?:menjawab|informasi)|informasi (?:lebih|tambahan)|terima kasih).*"
    ),
    contrast=(r"[,;]?\s+(?:tetapi|tapi|namun|akan tetapi|meskipun|sedangkan|sementara)\b,?\s+"),
    negation=(
        r"\b(?:tidak|tak|bukan|bukanlah|belum|tanpa|jangan|tiada|kecuali|dilarang|kurang\w*)\b"
    ),
)

_ZH_NOUN = "(?:文档|文件|资料|上下文|文本|内容|材料|信息|片段|证据|来源|文献|段落|参考)"
_ZH_SURE = (
    f"(?:根据|基于|在|从)?(?:您|你|所|已|被|现)*(?:提供|给定|给出|上述|以上|现有|有|这些|相关|"
    f"检索到|可用|上传)(?:的|各|些)*{_ZH_NOUN}+(?:片段|内容)?(?:中|里|内|来看|看)?|上下文(?:中|里|内)?"
)
_ZH_SOURCE = f"{_ZH_SURE}|(?:在|根据)?(?:该|此|本|这份|这个|这)?{_ZH_NOUN}(?:中|里|内)?"
_ZH_NOT = "(?:没有|并没有|并未|均未|都没有|未能|未曾|未|没|不|并不|无法|不能)"
_ZH_SAY = (
    "(?:明确|直接|具体|详细|被|予以)*(?:提到|提及|说明|包含|包括|给出|提供|指出|涉及|回答|找到|描述|列出|"
    "规定|指定|定义|讨论|记载|写明|解释|足够|相关|关于|任何|确定|得知|判断|有关|显示|介绍|查到|发现)"
)

CHINESE = Wordings(
    sure=wording(
        "(?:.{0,60}?)(?:{sure}),?{not}{say}.*",
        "(?:在)?{not}(?:在)(?:{sure}){say}.*",
        "(?:没有|无|未找到|未能找到|没有找到|缺乏|缺少|找不到)(?:足够的?|相关的?|任何|关于.{0,60}的?)*"
        "(?:信息|答案|内容|资料|说明|记录|结果).*",
        "(?:信息|证据|资料|内容)不足.*",
        "我(?:不知道|无法|不能|没有找到|没找到|找不到|未找到|没有足够|不清楚|不确定).*",
        "(?:无法|不能)(?:根据.*)?(?:回答|确定|得知|判断|找到|提供答案).*",
        "(?:该|这个|此)?(?:问题|答案|信息)(?:在.{0,20})?{not}{say}.*",
        "不知道|未知|未提及|未找到|没有找到|无|不详|未说明|没有提到|无答案|没有答案|未提供|无法回答",
        sure=_ZH_SURE,
        **{"not": _ZH_NOT},
        say=_ZH_SAY,
    ),
    perhaps=wording(
        "(?:.{0,60}?)(?:{source})(?:还|也)?{not}{say}.*",
        "{not}{say}.{0,60}",
        source=_ZH_SOURCE,
        **{"not": _ZH_NOT},
        say=_ZH_SAY,
    ),
    lead=wording(
        "(?:非常|很|十分)?(?:抱歉|对不起|遗憾|不好意思|但是|但|然而|不过|因此|所以|此外|另外)[,:]?",
        "(?:根据|基于)(?:{source}),",
        "(?:回答|答案|答)[:]",
        source=_ZH_SOURCE,
    ),
    after=wording("(?:请|如果|如需|若|您可以|你可以|建议|需要更多|谢谢|欢迎).*"),
    contrast=r"[,;\uff0c\uff1b]\s*(?:但是|但|然而|不过|可是|而)\s*",
    negation="不|没|未|无|非|勿|莫|禁止|除外|缺",
)

_DE_NOUN = (
    r"(?:dokument(?:e|en|s)?|unterlagen|kontext|text(?:e|en|s|stellen)?|quellen?|ausz(?:ug|üge[n]?)|"
    r"abschnitt(?:e|en)?|information(?:en)?|datei(?:en)?|materiali?(?:en)?|belege?n?|passagen?)"
)
_DE_GIVEN = (
    r"(?:bereitgestellte|vorliegende|angegebene|verfügbare|gegebene|zur verfügung gestellte|obige|"
    r"zitierte|vorhandene|gelieferte|genannte)[nmrs]?"
)
_DE_SURE = (
    rf"(?:(?:die|der|das|den|dem|diese[nmrs]?|ihre[nmr]?) |im )?(?:{_DE_GIVEN} {_DE_NOUN}|"
    r"dokumenten?|unterlagen|kontext|auszügen?|textstellen)"
)
_DE_SOURCE = rf"{_DE_SURE}|(?:(?:die|der|das|den|dem|diese[nmrs]?) |im ){_DE_NOUN}"
_DE_SAYS = (
    r"(?:enth(?:ält|alten)|nenn(?:t|en)|erwähn(?:t|en)|gib(?:t)|geben|mach(?:t|en)|"
    r"spezifizier(?:t|en)|beschreib(?:t|en)|liefer(?:t|n)|beantworte(?:t|n)|sag(?:t|en)|"
    r"erklär(?:t|en)|führ(?:t|en)|definier(?:t|en)|biete(?:t|n)|behandel(?:t|n)|leg(?:t|en)|"
    r"geh(?:t|en))"
)
_DE_NOT = r"\b(?:nicht|nichts|nirgends|kein\w*)\b"
_DE_PART = (
    r"(?:gefunden|finden|erwähnt|angegeben|enthalten|genannt|beschrieben|aufgeführt|spezifiziert|"
    r"beantwort\w+|ermitteln|hervor|vorhanden|verfügbar|definiert|entnehmen|bestimmen|festgelegt|"
    r"erläutert|bekannt|auffindbar)"
)

GERMAN = Wordings(
    sure=wording(
        r"nicht {part}(?: in {sure})?|nicht in {sure} {part}",
        r"(?:{sure} {says}|{says} {sure})\b.{0,200}{not}.*",
        r".{0,200}\b(?:in|aus|mit|anhand|auf basis) {sure}\b.{0,80}{not}.{0,80}",
        r".{0,200}{not}.{0,80}\b(?:in|aus|mit|anhand) {sure}(?: {part})?",
        r"ich (?:kann|konnte|weiß|habe|finde)\b.{0,200}{not}.*",
        r"es (?:gibt|liegen|liegt|wurden?|finden sich|findet sich) kein\w* (?:\w+ )?"
        r"(?:information|angabe|hinweis|antwort|erwähnung|daten|beleg)\w*\b.*",
        r"keine? (?:\w+ )?(?:information|angabe|antwort|hinweis|ergebnis|daten|treffer)\w*\b.*",
        r"(?:die |diese |das |dazu )?(?:frage|antwort|information)\w* .{0,60}{not}.{0,60}{part}.*",
        r"unbekannt|weiß ich nicht",
        sure=_DE_SURE,
        says=_DE_SAYS,
        **{"not": _DE_NOT},
        part=_DE_PART,
    ),
    perhaps=wording(
        r"(?:{source}) {says}\b.{0,200}{not}.*",
        r".{0,200}\b(?:in|aus|im) ?(?:{source})\b.{0,80}{not}.{0,80}",
        r".{0,200}{not}.{0,80}\b(?:in|aus) (?:{source})(?: {part})?",
        source=_DE_SOURCE,
        says=_DE_SAYS,
        **{"not": _DE_NOT},
        part=_DE_PART,
    ),
    lead=wording(
        r"(?:leider|es tut mir leid|tut mir leid|entschuldigung|jedoch|aber|allerdings|außerdem)\b"
        r"[,:.]?(?: aber)?",
        r"antwort:",
    ),
    after=wording(r"(?:bitte|wenn sie|falls|sie können|sie könnten|für weitere|weitere|danke).*"),
    contrast=r"[,;]\s+(?:aber|jedoch|allerdings|obwohl|während|doch)\s+",
    negation=r"\b(?:nicht|nichts|kein\w*|nie|niemals|ohne|weder|noch|nirgends)\b",
)

_FR_NOUN = (
    r"(?:documents?|textes?|contexte|extraits?|passages?|sources?|informations?|fichiers?|"
    r"fragments?|éléments)"
)
_FR_SURE = (
    rf"(?:(?:les|le|la|ces|ce|cet|cette|vos|des|du|aux) |l')?(?:{_FR_NOUN} (?:qui (?:m'ont été|"
    r"sont) )?(?:fournie?s?|donnée?s?|disponibles?|indexée?s?|ci-dessus)|documents|contexte|"
    r"extraits)"
)
_FR_SOURCE = rf"{_FR_SURE}|(?:les|le|ces|ce|cet|cette) {_FR_NOUN}"
_FR_NOT = r"(?:pas|aucun\w*|rien|nulle part|jamais)"
_FR_SAYS = (
    r"(?:mentionn\w+|contien\w+|précis\w+|fourni\w+|indiqu\w+|donn\w+|spécifi\w+|répond\w+|"
    r"compren\w+|di(?:t|sent)|définiss?\w*|décri\w+|expliqu\w+|permet\w*|abord\w+|trait\w+|font)"
)

FRENCH = Wordings(
    sure=wording(
        r"{sure} (?:ne |n')(?:{says}) {not}\b.*",
        r".{0,200}(?:\bne |\bn')\w+ {not}\b.{0,120}(?:dans|par|à partir de|d'après) {sure}",
        r"je (?:ne |n')\w+ (?:{not}|\w+ {not})\b.*",
        r"il n'(?:y a|existe) {not}\b.{0,200}",
        r"aucune? (?:information|réponse|mention|donnée|indication|résultat)s?\b.*",
        r"(?:la |cette )?(?:réponse|information|question) (?:ne |n')\w+ {not}\b.*",
        r"(?:non|pas) (?:trouvée?|précisée?|spécifiée?|mentionnée?|indiquée?|disponible)"
        r"(?: (?:dans|par) {sure})?",
        r"introuvable(?: dans {sure})?|inconnue?|pas de réponse",
        sure=_FR_SURE,
        says=_FR_SAYS,
        **{"not": _FR_NOT},
    ),
    perhaps=wording(
        r"(?:{source}) (?:ne |n')(?:{says}) {not}\b.*",
        r".{0,200}(?:\bne |\bn')\w+ {not}\b.{0,120}(?:dans|par) (?:{source})",
        source=_FR_SOURCE,
        says=_FR_SAYS,
        **{"not": _FR_NOT},
    ),
    lead=wording(
        r"(?:malheureusement|désolée?|je suis désolée?|cependant|toutefois|mais|de plus)\b[,:.]?"
        r"(?: mais)?",
        r"(?:d'après|selon|dans) (?:{source}),",
        r"réponse ?:",
        source=_FR_SOURCE,
    ),
    after=wording(r"(?:veuillez|si vous|vous pouvez|vous pourriez|pour (?:plus|répondre)|merci).*"),
    contrast=r"[,;]\s+(?:mais|cependant|toutefois|bien que|tandis que|alors que)\s+",
    negation=r"\b(?:ne|pas|aucun\w*|sans|jamais|rien|ni|non|hors)\b|\bn'",
)

_ES_NOUN = (
    r"(?:documentos?|textos?|contexto|fragmentos?|pasajes?|fuentes?|informaci[oó]n|archivos?|"
    r"extractos?|evidencias?)"
)
_ES_SURE = (
    rf"(?:(?:los|el|la|las|estos|este|esta|sus) )?(?:{_ES_NOUN} (?:que se )?(?:proporcionad\w+|"
    r"dad[oa]s?|disponibles?|facilitad\w+|suministrad\w+|indexad\w+)|documentos|contexto|fragmentos)"
)
_ES_SOURCE = rf"{_ES_SURE}|(?:los|el|la|las|estos|este|esta|del) {_ES_NOUN}"
_ES_SAYS = (
    r"(?:mencion\w+|contien\w+|especific\w+|proporcion\w+|indic\w+|da[n]?|incluy\w+|respond\w+|"
    r"dicen?|defin\w+|describ\w+|explic\w+|ofrec\w+|aborda\w*|trata\w*|tien\w+|hac\w+)"
)

SPANISH = Wordings(
    sure=wording(
        r"(?:en )?{sure} no (?:se )?(?:{says})\b.*",
        r".{0,200}\bno (?:se|est[aá]n?|es|son|fue\w*|aparece\w*|figura\w*|ha\w*|puede\w*)\b.{0,160}"
        r"(?:en|por|a partir de|seg[uú]n|con) {sure}",
        r"(?:yo )?no (?:puedo|s[eé]|lo s[eé]|encuentro|encontr[eé]|pude|tengo|dispongo|"
        r"he encontrado)\b.*",
        r"no (?:hay|existe) (?:suficiente )?(?:informaci[oó]n|menci[oó]n|respuesta|datos|detalles)"
        r"\b.*",
        r"no se (?:encontr[oó]|encuentra|proporciona|dispone)\b.*",
        r"ninguna? (?:informaci[oó]n|respuesta|menci[oó]n)\b.*",
        r"(?:la |esta )?(?:respuesta|informaci[oó]n|pregunta) no \w+\b.*",
        r"no (?:encontrad[oa]|especificad[oa]|mencionad[oa]|disponible|indicad[oa])"
        r"(?: (?:en|por) {sure})?",
        r"desconocid[oa]|sin respuesta|sin informaci[oó]n",
        sure=_ES_SURE,
        says=_ES_SAYS,
    ),
    perhaps=wording(
        r"(?:en )?(?:{source}) no (?:se )?(?:{says})\b.*",
        r"no se (?:menciona|especifica|indica|define|describe|puede determinar)\b.*",
        r".{0,200}\bno (?:se|est[aá]n?|es|son)\b.{0,160}(?:en|por) (?:{source})",
        source=_ES_SOURCE,
        says=_ES_SAYS,
    ),
    lead=wording(
        r"(?:lamentablemente|desafortunadamente|lo siento|perd[oó]n|sin embargo|pero|adem[aá]s)\b"
        r"[,:.]?(?: pero)?",
        r"(?:seg[uú]n|en|de acuerdo con) (?:{source}),",
        r"respuesta:",
        source=_ES_SOURCE,
    ),
    after=wording(
        r"(?:por favor|si (?:usted|tiene|desea)|puede |para (?:m[aá]s|responder)|gracias).*"
    ),
    contrast=r"[,;]\s+(?:pero|sin embargo|aunque|mientras que)\s+",
    negation=r"\b(?:no|ning[uú]n\w*|sin|nunca|tampoco|ni|nada|excepto)\b",
)
