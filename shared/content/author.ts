import type { Endorsement, PortraitName } from './entities.ts';

export interface Author {
  eyebrow: string;
  title: string;
  img: PortraitName;
  alt: string;
  salutation: string;
  letter: readonly string[];
  signature: string;
  role: string;
}

export const author: Author = {
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
  signature: 'Your teacher',
  role: 'Bestselling author and leader of the retreat',
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
  },
  {
    img: 'television-host',
    alt: 'Abstract portrait of the television host',
    quote: 'Of all the guests who came to talk about food, she is the one I took home to dinner in my head.',
    name: 'Television host',
    circle: true,
  },
  {
    img: 'meditation-teacher',
    alt: 'Abstract portrait of the meditation teacher',
    quote:
      'Her kindness isn’t soft; it’s exact. She helps people turn toward what they have been fleeing, and stay.',
    name: 'Meditation teacher',
    circle: true,
  },
];
