import type { Benefit, DrawingName } from './entities.ts';

export const benefitsIntro: { title: string; intro: string; img: DrawingName } = {
  title: 'What opens when the fighting stops',
  intro:
    'Four days won’t make you someone else. They can bring you back to someone you may have missed for a long time.',
  img: 'at-ease',
};

export const benefits: readonly Benefit[] = [
  {
    icon: 'bowl',
    title: 'Peace with food and body',
    text: 'Meals without arithmetic. A body to live in, rather than a project to manage.',
  },
  {
    icon: 'new-moon',
    title: 'Lasting transformation',
    text: 'Willpower goes to bed early. What you understand about yourself is still there at midnight, with the kitchen light on.',
  },
  {
    icon: 'heart-leaf',
    title: 'Self-kindness',
    text: 'You’ll learn to notice the harsh voice, and practice a warmer one, until the warmer one is the first to speak.',
  },
  {
    icon: 'circle',
    title: 'Supportive community',
    text: 'Shame loosens when another woman says your secret out loud. You’ll sit in rooms, large and small, where that can happen.',
  },
  {
    icon: 'lantern',
    title: 'Lifelong tools',
    text: 'A meditation, a way to eat a meal, a question to ask at the refrigerator door: simple enough for an ordinary Tuesday.',
  },
];
