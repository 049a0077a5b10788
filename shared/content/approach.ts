import type { IllustrationName } from './entities.ts';

export interface Approach {
  eyebrow: string;
  title: string;
  paragraphs: readonly string[];
  outcomesTitle: string;
  outcomes: readonly string[];
  illustration: { img: IllustrationName; alt: string };
}

export const approach: Approach = {
  eyebrow: 'Our approach',
  title: 'Food is the doorway',
  paragraphs: [
    'This work goes beyond food, calories and weight loss, to the emotional and spiritual issues behind compulsive eating. What you eat, and when, and what you say to yourself afterward, is seldom only about the food.',
    'So we treat food as a doorway. Behind it are the beliefs and patterns you have lived by, often since you were small: what you deserve, what you must hide, how much of you there may be. You can meet them without force.',
    'We go by way of self-compassion and mindfulness, and heal from the inside out. Change that lasts comes through self-awareness, not restriction. Nobody was ever shamed into peace.',
  ],
  outcomesTitle: 'In these four days, you will',
  outcomes: [
    'Listen to your body and feed it what it wants',
    'Learn and experience what enough is',
    'Identify the positive and unconscious reasons for keeping weight on',
    'Turn off the inner critic and treat yourself with kindness',
    'Change the beliefs that limit your life and the shape of your body',
  ],
  illustration: { img: 'mindful-journey', alt: 'Illustration of a mindful journey' },
};
