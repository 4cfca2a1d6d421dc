"""Names and phrases of the seeded data, in several scripts."""

WORKER_NAMES: tuple[str, ...] = (
    "Marta Kowalczyk",
    "Éloïse Lefèvre",
    "José Ángel Núñez",
    "王小明",
    "Søren Ødegård",
    "Анна Петрова",
    "محمد الأحمد",
    "佐藤 花子",
    "Thandiwe Nkosi",
    "김민준",
    "נועה לוי",
    "Zoë O’Connor 👩‍🏭",
    "Ngozi Adébáyò",
    "Łukasz Żółkiewski",
    "Νίκος Παπαδόπουλος",
    "สมชาย ใจดี",
    "Dmytro Шевченко",
    "प्रिया शर्मा",
    "Jürgen Großmann",
    "Aroha Ngata",
    "李秀英",
    "Rodrigo da Conceição",
    "Fatima بنت يوسف",
    "Nguyễn Thị Hạnh",
)

TUNNEL_NAMES: tuple[str, ...] = (
    "North Drift",
    "Galerie Sainte-Barbe",
    "Glückauf",
    "Rampa Ñandú",
    "Штольня Восточная",
    "東坑道",
    "Koppie Decline",
    "نفق الشمال",
    "Old Cornish Adit",
    "Kääntö",
    "Pique Aïcha",
    "Raise 7 ⛏️",
    "מנהרת הדרום",
    "Haulage Loop",
    "Vent Shaft B",
    "Łęgowska",
)

MINERALS: tuple[str, ...] = ("gold", "copper", "silver", "zinc", "nickel", "cobalt")

LOT_NOTES: tuple[str, ...] = (
    "Sampled twice; the second assay is the one to use.",
    "Held at the weighbridge until the seal was replaced.",
    "Wet ore: moisture measured again after 24 h.",
    "Échantillon envoyé au laboratoire de Lubumbashi.",
    "Гранулометрия вне допуска, отправлено на повторное дробление.",
    "品位在预期范围内。",
    "Contains oversize; crusher set to 120 mm.",
    "Mixed with lot from the level above by mistake, see custody.",
    "Stockpile B, bay 4, under cover.",
    "العينة الثانية مطابقة للأولى.",
)

REMARKS: tuple[str, ...] = (
    "Nothing to report.",
    "Ventilation checked at the start and at the end.",
    "Bolting slower than planned; ground was loose.",
    "Loader 4 down for two hours: hydraulic hose.",
    "Équipe au complet, avancement normal.",
    "Handed over in person.",
    "Water ingress at the face, pumps on.",
    "Смена прошла без происшествий.",
    "爆破後の換気を確認。",
    "Waiting for the geologist’s mark-up.",
)

INCIDENTS: tuple[str, ...] = (
    "Slipped on a wet ladder; no injury.",
    "Rock fall behind the last row of bolts, area closed.",
    "Methane above 1.0 % for four minutes; power cut automatically.",
    "Loader touched the rib while reversing.",
    "Coupe à la main en changeant une dent de godet.",
    "Seal number on the bag did not match the form.",
    "Дым от перегретого подшипника конвейера.",
    "Near miss: vehicle in the pedestrian crosscut.",
)

CUSTOMERS: tuple[str, ...] = (
    "Aurubis Nord GmbH",
    "Fonderie du Léman SA",
    "三和冶金株式会社",
    "Ural Refining ООО",
    "Norrsken Smältverk AB",
    "Compañía Minera Ñuble",
)

STOCK_ITEMS: tuple[tuple[str, str], ...] = (
    ("Roof bolt, 2.4 m", "piece"),
    ("Resin cartridge 28 mm", "piece"),
    ("Emulsion explosive", "kg"),
    ("Electronic detonator", "piece"),
    ("Diesel, low sulphur", "l"),
    ("Hydraulic oil 46", "l"),
    ("Drill bit 45 mm", "piece"),
    ("Self-rescuer, 60 min", "piece"),
    ("Dust mask FFP3", "box"),
    ("Cyanide, briquettes", "kg"),
)

AUTHORITIES: tuple[str, ...] = (
    "Ministry of Mines",
    "Direction générale des mines",
    "Bergamt Süd",
    "Ростехнадзор",
    "Environmental Protection Agency",
)
