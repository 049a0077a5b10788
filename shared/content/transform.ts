import type { TransformStep } from './entities.ts';

export const transform = {
  title: 'Three steps, and none of them is a diet',
  intro: 'You already know how to try harder. This asks something gentler of you, and braver.',
} as const;

export const transformSteps: readonly TransformStep[] = [
  {
    img: 'threshold',
    title: 'Commit',
    text: 'Clear four days and say yes, with doubt in the room if need be. You don’t have to feel ready, or weigh less first. Come as you are, and let that be enough to begin.',
  },
  {
    img: 'shared-table',
    title: 'Do the work',
    text: 'Eat, sit, move and speak with other women, with a teacher to guide you. Look, in good company, at what you are really reaching for when you reach for food.',
  },
  {
    img: 'open-sky',
    title: 'Embrace lasting freedom',
    text: 'Go back to your own kitchen with new questions: What do I want? What would be kind? How will I know when it is enough? The answers will be your own, so they will keep.',
  },
];
