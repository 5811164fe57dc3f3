"""A paragraph in each of 24 languages, and the encodings in which such texts are met; written for the tests of encodings."""

from __future__ import annotations

from typing import NamedTuple


class EncodingText(NamedTuple):
    """A paragraph and the encodings it usually has."""

    language: str
    encodings: tuple[str, ...]
    text: str


TEXTS = (
    EncodingText(
        "Portuguese",
        (
            "cp1252",
            "latin-1",
            "iso-8859-15",
        ),
        "O farol não é alto, mas vê-se de muito longe. À noite, a luz avisa as embarcações que há rochedos à entrada da "
        "baía; já ninguém põe em dúvida a sua importância. As crianças da região vão lá ao pôr do sol e comem pão com "
        "maçã.",
    ),
    EncodingText(
        "Italian",
        (
            "cp1252",
            "latin-1",
        ),
        "Perché il faro è così basso? La città lo costruì più di un secolo fa, quando c'era già il molo. Però nessuno è "
        "mai salito lassù di lunedì: la porta è chiusa e la chiave ce l'ha il custode, che abita laggiù con la sua "
        "famiglia.",
    ),
    EncodingText(
        "Catalan",
        (
            "cp1252",
            "latin-1",
        ),
        "El far és a l'entrada de la badia i té més de cent anys. Això no vol dir que ningú no hi visqui: el guardià hi "
        "és cada nit, i també la seva filla, que ja és gran. L'aigua és freda, però els nens hi juguen fins que fa fosc.",
    ),
    EncodingText(
        "Icelandic",
        (
            "cp1252",
            "latin-1",
        ),
        "Vitinn stendur á nesinu og lýsir á hverri nóttu. Það er ekki langt þangað, en leiðin er ógreið þegar snjóar. "
        "Gamli vitavörðurinn segir að sjórinn hafi aldrei verið eins úfinn og þennan vetur, og fólkið í þorpinu trúir "
        "honum.",
    ),
    EncodingText(
        "French",
        (
            "cp1252",
            "latin-1",
            "iso-8859-15",
        ),
        "Le phare a été bâti à l'entrée du port il y a près d'un siècle. À la tombée de la nuit, le gardien monte "
        "jusqu'à la lanterne et vérifie que rien ne gêne la lumière. Les pêcheurs, même naïfs, savent où se trouve la "
        "côte grâce à lui.",
    ),
    EncodingText(
        "Spanish",
        (
            "cp1252",
            "latin-1",
            "iso-8859-15",
        ),
        "¿Quién apagó el faro aquella noche? Nadie lo sabe todavía. El viejo capitán decía que fue el viento, pero los "
        "niños del pueblo vieron una sombra en la escalera. ¡Qué miedo! Al año siguiente pusieron una lámpara eléctrica "
        "más fuerte.",
    ),
    EncodingText(
        "German",
        (
            "cp1252",
            "latin-1",
            "iso-8859-15",
        ),
        "Der Leuchtturm steht auf einer Düne vor der Küste. Früher mussten die Wärter täglich Öl hinauftragen, heute "
        "läuft alles elektrisch. Bei Nebel hört man das Horn über große Entfernungen, und müde Schiffer fühlen sich "
        "gleich sicherer.",
    ),
    EncodingText(
        "Swedish",
        (
            "cp1252",
            "latin-1",
        ),
        "Fyren står på en klippa längst ut i skärgården. När det blåser hårt är det svårt att nå den med båt, och då får "
        "fyrvaktaren vänta på både post och mjölk. Ändå vill han inte bo någon annanstans, för där är det så tyst och "
        "vackert.",
    ),
    EncodingText(
        "Polish",
        (
            "cp1250",
            "iso-8859-2",
        ),
        "Latarnia morska stoi na wysokim brzegu i świeci każdej nocy. Dawniej latarnik musiał nosić olej po stu "
        "schodach, dziś wszystko działa samo. Gdy nadchodzi mgła, słychać głośny dźwięk rogu, a łodzie wracają powoli do "
        "portu. Mówią, że światło widać aż z drugiego brzegu zatoki.",
    ),
    EncodingText(
        "Czech",
        (
            "cp1250",
            "iso-8859-2",
        ),
        "Maják stojí na skále u vjezdu do přístavu a svítí každou noc. Dříve tam žil strážce se svou rodinou, dnes už je "
        "všechno řízeno na dálku. Když přijde mlha, ozve se hluboký tón a lodě zpomalí. Děti z vesnice říkají, že "
        "nejkrásnější výhled je těsně před západem slunce.",
    ),
    EncodingText(
        "Hungarian",
        (
            "cp1250",
            "iso-8859-2",
        ),
        "A világítótorony a kikötő bejáratánál áll, és minden éjjel fényt ad a hajóknak. Régen az őr vitte fel az olajat "
        "a lépcsőn, ma már villany működteti. Ha köd van, mély hangú kürt szól, és a halászok tudják, merre van a part. "
        "A gyerekek szerint innen látszik a legszebb naplemente.",
    ),
    EncodingText(
        "Romanian",
        (
            "cp1250",
            "iso-8859-2",
        ),
        "Farul stă pe o stâncă, la intrarea în golf, şi luminează în fiecare noapte. Înainte, paznicul urca treptele cu "
        "lampa în mână; astăzi totul merge singur. Când se lasă ceaţa, pescarii ascultă sunetul adânc şi ştiu că ţărmul "
        "este aproape. Copiii spun că de acolo se vede cel mai bine răsăritul.",
    ),
    EncodingText(
        "Russian",
        (
            "cp1251",
            "koi8-r",
            "iso-8859-5",
            "cp866",
            "mac-cyrillic",
        ),
        "Маяк стоит на высоком берегу и светит каждую ночь. Раньше смотритель сам носил масло наверх, а теперь всё "
        "работает от электричества. Когда приходит туман, слышен низкий гудок, и рыбаки понимают, где находится берег. "
        "Дети из деревни любят смотреть отсюда на закат.",
    ),
    EncodingText(
        "Ukrainian",
        (
            "cp1251",
            "koi8-u",
            "iso-8859-5",
        ),
        "Маяк стоїть на високому березі й світить щоночі. Раніше доглядач сам носив олію нагору, а тепер усе працює від "
        "електрики. Коли надходить туман, чути низький звук, і рибалки знають, де є берег. Діти з села люблять дивитися "
        "звідси на захід сонця, бо це їхнє улюблене місце.",
    ),
    EncodingText(
        "Bulgarian",
        (
            "cp1251",
            "iso-8859-5",
        ),
        "Фарът се намира на висок бряг и свети всяка нощ. Преди пазачът сам е носил маслото нагоре, а сега всичко работи "
        "с електричество. Когато падне мъгла, се чува дълбок звук и рибарите разбират къде е брегът. Децата от селото "
        "обичат да гледат залеза оттук.",
    ),
    EncodingText(
        "Greek",
        (
            "cp1253",
            "iso-8859-7",
        ),
        "Ο φάρος στέκεται στην είσοδο του λιμανιού και φωτίζει κάθε νύχτα. Παλιά ο φύλακας ανέβαζε το λάδι από τη σκάλα, "
        "σήμερα όλα γίνονται με ηλεκτρισμό. Όταν πέφτει ομίχλη, ακούγεται ένας βαθύς ήχος και οι ψαράδες ξέρουν πού "
        "είναι η ακτή. Τα παιδιά λένε ότι από εκεί φαίνεται το ωραιότερο ηλιοβασίλεμα.",
    ),
    EncodingText(
        "Turkish",
        (
            "cp1254",
            "iso-8859-9",
        ),
        "Deniz feneri limanın girişinde durur ve her gece ışık verir. Eskiden bekçi yağı merdivenden yukarı taşırdı, "
        "bugün her şey elektrikle çalışıyor. Sis çöktüğünde kalın bir ses duyulur ve balıkçılar kıyının nerede olduğunu "
        "anlar. Köyün çocukları en güzel gün batımının oradan göründüğünü söyler.",
    ),
    EncodingText(
        "Hebrew",
        (
            "cp1255",
            "iso-8859-8",
        ),
        "המגדלור עומד בכניסה לנמל ומאיר בכל לילה. פעם נשא השומר את השמן במדרגות, והיום הכול פועל בחשמל. כאשר יורד ערפל "
        "נשמע צליל עמוק, והדייגים יודעים היכן נמצא החוף. ילדי הכפר אומרים שמשם רואים את השקיעה היפה ביותר.",
    ),
    EncodingText(
        "Arabic",
        (
            "cp1256",
            "iso-8859-6",
        ),
        "تقف المنارة عند مدخل الميناء وتضيء كل ليلة. كان الحارس في الماضي يحمل الزيت على الدرج، أما اليوم فكل شيء يعمل "
        "بالكهرباء. وعندما ينزل الضباب يسمع الصيادون صوتا عميقا فيعرفون أين يقع الشاطئ. ويقول أطفال القرية إن أجمل غروب "
        "يرى من هناك.",
    ),
    EncodingText(
        "Lithuanian",
        (
            "cp1257",
            "iso-8859-13",
        ),
        "Švyturys stovi prie įplaukos į uostą ir šviečia kiekvieną naktį. Anksčiau sargas pats nešdavo aliejų laiptais "
        "aukštyn, o dabar viskas veikia elektra. Kai užslenka rūkas, girdėti žemas garsas, ir žvejai žino, kur yra "
        "krantas. Kaimo vaikai sako, kad iš čia matyti gražiausi saulėlydžiai.",
    ),
    EncodingText(
        "Thai",
        (
            "cp874",
            "tis-620",
        ),
        "ประภาคารตั้งอยู่ที่ปากอ่าวและส่องแสงทุกคืน เมื่อก่อนคนเฝ้าต้องแบกน้ำมันขึ้นบันได แต่วันนี้ทุกอย่างใช้ไฟฟ้า "
        "เวลามีหมอกลงจะได้ยินเสียงทุ้ม ชาวประมงจึงรู้ว่าฝั่งอยู่ที่ไหน "
        "เด็กในหมู่บ้านบอกว่าที่นั่นเห็นพระอาทิตย์ตกสวยที่สุด",
    ),
    EncodingText(
        "Japanese",
        (
            "shift_jis",
            "cp932",
            "euc-jp",
            "iso-2022-jp",
        ),
        "灯台は港の入り口に立ち、毎晩あかりをともします。昔は番人が油を階段で運びましたが、今はすべて電気で動いています。"
        "霧が出ると低い音が聞こえ、漁師たちは岸がどこにあるかを知ります。村の子どもたちは、ここから見る夕日がいちばん美し"
        "いと言います。コーヒーを飲みながら船を待つ人もいます。",
    ),
    EncodingText(
        "Chinese",
        (
            "gb18030",
            "gb2312",
        ),
        "灯塔立在港口的入口处，每天晚上都发出亮光。从前守塔人要把油搬上楼梯，现在一切都用电。起雾的时候，人们听到低沉的声"
        "音，渔民就知道海岸在哪里。村里的孩子们说，从那里看到的日落最美。老人们常常坐在石头上喝茶，等着船回来。",
    ),
    EncodingText(
        "Chinese",
        (
            "big5",
            "big5hkscs",
        ),
        "燈塔立在港口的入口處，每天晚上都發出亮光。從前守塔人要把油搬上樓梯，現在一切都用電。起霧的時候，人們聽到低沉的聲"
        "音，漁民就知道海岸在哪裡。村裡的孩子們說，從那裡看到的日落最美。老人們常常坐在石頭上喝茶，等著船回來。",
    ),
    EncodingText(
        "Korean",
        (
            "euc-kr",
            "cp949",
        ),
        "등대는 항구 입구에 서서 밤마다 불을 밝힙니다. 예전에는 등대지기가 기름을 들고 계단을 올라갔지만, 지금은 모든 "
        "것이 전기로 움직입니다. 안개가 끼면 낮은 소리가 들리고 어부들은 해안이 어디에 있는지 압니다. 마을 아이들은 "
        "그곳에서 보는 노을이 가장 아름답다고 말합니다.",
    ),
)


def encoded_texts() -> list[tuple[str, str, str, bytes]]:
    """Return language, encoding, text and bytes of every case: each paragraph once and ten times."""
    return [
        (paragraph.language, encoding, text, text.encode(encoding))
        for paragraph in TEXTS
        for encoding in paragraph.encodings
        for text in (paragraph.text, "\n".join([paragraph.text] * 10))
    ]
