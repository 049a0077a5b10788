import type { Endorsement, PortraitName, Sampled } from './entities.ts';

/** A book of hers. */
export interface Book {
  title: string;
  /** What it is about, in a few words. */
  about: string;
  year: number;
}

/** Where more of her is found. */
export interface AuthorLink {
  label: string;
  href: string;
}

export interface Author extends Sampled {
  name: string;
  eyebrow: string;
  title: string;
  img: PortraitName;
  alt: string;
  salutation: string;
  letter: readonly string[];
  closing: string;
  role: string;
  biographyTitle: string;
  biography: readonly string[];
  /** None, and the page does not speak of books. */
  booksTitle: string;
  books: readonly Book[];
  links: readonly AuthorLink[];
}

export const author: Author = {
  sample: true,
  name: 'Marian Sample',
  eyebrow: 'About the author',
  title: 'A letter before we meet',
  img: 'author',
  alt: 'Abstract portrait of the author',
  salutation: 'Dear you,',
  letter: [
    'Perhaps you’re reading this late, after an evening that went the way some evenings go. Perhaps you own a shelf of diet books and a low opinion of yourself. I know that shelf. I know that opinion.',
    'What I came to see, slowly, is that my eating was never random. It was the best answer I had found to questions I didn’t know I was asking. When I grew curious about the questions, the answer began to change by itself.',
    'That is what I write about, and what I teach. You needn’t have read a word of it, or be good at meditating, or at groups. Bring your appetite and your doubts. There is room for both.',
  ],
  closing: 'Until January,',
  role: 'Bestselling author and leader of the retreat',
  biographyTitle: 'Who is writing',
  biography: [
    'Marian Sample is a sample, and so are her books. Here stands the author’s own life, in a few lines: what brought her to this work, where she has taught and for how long, and how she lives when nobody is listening.',
  ],
  booksTitle: 'Her books',
  books: [
    { title: 'The Sample Table', about: 'What hunger asks for', year: 2009 },
    { title: 'Enough, for Example', about: 'A year of kinder meals', year: 2018 },
  ],
  links: [
    { label: 'Her website', href: 'https://author.example/' },
    { label: 'Her letters by e-mail', href: 'https://author.example/letters' },
  ],
};

export const endorsementsTitle = 'What others say of her';

export const endorsements: readonly Endorsement[] = [
  {
    img: 'memoirist',
    alt: 'Abstract portrait of the memoirist',
    quote:
      'She writes about hunger the way other people write about love. I read her with a pencil, and then with a handkerchief.',
    name: 'Bestselling memoirist',
    circle: true,
    sample: true,
  },
  {
    img: 'television-host',
    alt: 'Abstract portrait of the television host',
    quote: 'Of all the guests who came to talk about food, she is the one I took home to dinner in my head.',
    name: 'Television host',
    circle: true,
    sample: true,
  },
  {
    img: 'meditation-teacher',
    alt: 'Abstract portrait of the meditation teacher',
    quote:
      'Her kindness isn’t soft; it’s exact. She helps people turn toward what they have been fleeing, and stay.',
    name: 'Meditation teacher',
    circle: true,
    sample: true,
  },
];
