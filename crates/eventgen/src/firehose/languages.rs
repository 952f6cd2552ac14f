//! Posts in eight languages: words that people write, strung together, with the marks, addresses and faces that posts
//! have. Which words follow each other is drawn, so that no two posts have the same pattern.

use super::super::draws::{Draws, Skew};
use super::super::text;

/// One post in 330 has it, whatever its language.
pub const RARE: &str = "archipelago";
const RARE_IN_THOUSAND: u64 = 3;

/// A language, its words with the most frequent first, and whether spaces part them.
#[derive(Debug)]
struct Language {
    code: &'static str,
    words: &'static [&'static str],
    is_spaced: bool,
}

const LANGUAGES: &[Language] = &[
    Language {
        code: "en",
        words: &[
            "the",
            "and",
            "to",
            "a",
            "of",
            "I",
            "is",
            "in",
            "that",
            "this",
            "for",
            "my",
            "on",
            "it",
            "with",
            "just",
            "not",
            "what",
            "people",
            "new",
            "about",
            "today",
            "really",
            "time",
            "good",
            "because",
            "morning",
            "love",
            "work",
            "never",
            "tomorrow",
            "photo",
            "coffee",
            "reading",
            "garden",
            "weather",
            "train",
            "finally",
            "painting",
            "wonderful",
            "yesterday",
            "keyboard",
            "mountain",
            "lighthouse",
            "sourdough",
        ],
        is_spaced: true,
    },
    Language {
        code: "ja",
        words: &[
            "の",
            "は",
            "に",
            "が",
            "を",
            "と",
            "で",
            "です",
            "ます",
            "今日",
            "私",
            "人",
            "本",
            "これ",
            "写真",
            "朝",
            "仕事",
            "電車",
            "楽しい",
            "明日",
            "天気",
            "猫",
            "ご飯",
            "新しい",
            "おはよう",
            "眠い",
            "桜",
            "絵を描く",
            "ありがとう",
            "珈琲",
            "図書館",
            "灯台",
        ],
        is_spaced: false,
    },
    Language {
        code: "pt",
        words: &[
            "que",
            "de",
            "não",
            "o",
            "a",
            "eu",
            "é",
            "um",
            "uma",
            "com",
            "para",
            "hoje",
            "muito",
            "gente",
            "bom",
            "dia",
            "amor",
            "agora",
            "você",
            "amanhã",
            "trabalho",
            "coração",
            "música",
            "café",
            "futebol",
            "estação",
            "saudade",
            "manhã",
            "praia",
            "farol",
        ],
        is_spaced: true,
    },
    Language {
        code: "de",
        words: &[
            "die",
            "der",
            "und",
            "ist",
            "nicht",
            "ich",
            "das",
            "ein",
            "mit",
            "auch",
            "heute",
            "schön",
            "für",
            "über",
            "Morgen",
            "Wetter",
            "Zug",
            "Kaffee",
            "endlich",
            "Menschen",
            "Straße",
            "Bücher",
            "Garten",
            "größer",
            "Frühstück",
            "Verspätung",
            "Leuchtturm",
            "Eisenbahn",
        ],
        is_spaced: true,
    },
    Language {
        code: "es",
        words: &[
            "de",
            "la",
            "que",
            "el",
            "no",
            "y",
            "en",
            "me",
            "hoy",
            "muy",
            "gracias",
            "día",
            "mañana",
            "también",
            "años",
            "música",
            "corazón",
            "trabajo",
            "café",
            "lluvia",
            "película",
            "montaña",
            "niños",
            "canción",
            "faro",
            "estación",
        ],
        is_spaced: true,
    },
    Language {
        code: "ko",
        words: &[
            "오늘",
            "정말",
            "너무",
            "나는",
            "그리고",
            "사람",
            "좋은",
            "아침",
            "내일",
            "사진",
            "고양이",
            "커피",
            "날씨",
            "감사합니다",
            "책",
            "기차",
            "새로운",
            "산책",
            "저녁",
            "등대",
            "도서관",
            "그림",
        ],
        is_spaced: true,
    },
    Language {
        code: "tr",
        words: &[
            "bir",
            "ve",
            "bu",
            "çok",
            "ne",
            "için",
            "bugün",
            "ben",
            "güzel",
            "günaydın",
            "kahve",
            "değil",
            "kitap",
            "yarın",
            "şimdi",
            "gökyüzü",
            "yağmur",
            "fotoğraf",
            "İstanbul",
            "ışık",
            "deniz feneri",
            "kütüphane",
        ],
        is_spaced: true,
    },
    Language {
        code: "ru",
        words: &[
            "и",
            "в",
            "не",
            "на",
            "я",
            "что",
            "это",
            "с",
            "сегодня",
            "очень",
            "люди",
            "утро",
            "завтра",
            "спасибо",
            "работа",
            "погода",
            "книга",
            "кофе",
            "поезд",
            "наконец",
            "маяк",
            "прекрасно",
            "фотография",
        ],
        is_spaced: true,
    },
];

const FACES: &[&str] = &["😀", "🌊", "🐈", "❤️", "🌸", "👩‍🚀", "☕", "🎨"];

/// What a post is written in, drawn unevenly.
#[derive(Debug)]
pub struct Posts {
    by_language: Skew,
    by_word: Vec<Skew>,
}

impl Posts {
    pub fn in_all_languages() -> Self {
        let by_word = LANGUAGES.iter().map(|language| Skew::falling(language.words.len())).collect();
        Self { by_language: Skew::falling(LANGUAGES.len()), by_word }
    }

    /// A language by its place.
    pub fn draw(&self, draws: &mut Draws) -> usize {
        self.by_language.draw(draws)
    }

    pub fn code(language: usize) -> &'static str {
        LANGUAGES[language].code
    }

    /// The text of a post, as it stands between the quotes of JSON.
    pub fn write(&self, out: &mut Vec<u8>, language: usize, draws: &mut Draws) {
        let most = 6 + draws.below(30);
        let count = 4 + draws.below(most);
        self.write_words(out, language, count, draws);
        if draws.in_thousand(RARE_IN_THOUSAND) {
            out.push(b' ');
            out.extend_from_slice(RARE.as_bytes());
        }
        match draws.below(40) {
            0 => {
                out.extend_from_slice(b" https://example.net/");
                text::hex::<8>(out, draws.bits());
            }
            1 | 2 => {
                out.extend_from_slice(b" #tag");
                let kinds = 1 + draws.below(5_000);
                text::number(out, draws.below(kinds));
            }
            3 => {
                out.extend_from_slice(b" @member");
                text::number(out, draws.below(100_000));
            }
            4 | 5 => {
                out.push(b' ');
                out.extend_from_slice(draws.pick::<&str>(FACES).as_bytes());
            }
            _ => {}
        }
    }

    /// So many words; a few are in quotes or begin a new line.
    pub fn write_words(&self, out: &mut Vec<u8>, language: usize, count: u64, draws: &mut Draws) {
        let Language { words, is_spaced, .. } = &LANGUAGES[language];
        for place in 0..count {
            if place > 0 && draws.in_thousand(8) {
                out.extend_from_slice(br"\n");
            } else if place > 0 && *is_spaced {
                out.push(b' ');
            }
            let word = words[self.by_word[language].draw(draws)];
            let is_in_quotes = draws.in_thousand(10);
            if is_in_quotes {
                out.extend_from_slice(br#"\""#);
            }
            out.extend_from_slice(word.as_bytes());
            if is_in_quotes {
                out.extend_from_slice(br#"\""#);
            }
        }
    }
}
