export interface SessionItem {
  title: string;
  text: string;
  /** What the item consists of, where it has parts. */
  parts?: readonly string[];
}

export const sessionsIntro = {
  title: 'How we’ll spend the time',
  intro: 'Everything happens live, over video. Wear something soft, and have something to eat nearby.',
} as const;

export const sessionItems: readonly SessionItem[] = [
  {
    title: 'Daily eating meditations',
    text: 'Bring a meal to the screen and eat it with us, slowly, guided from the first bite to the last. You may be surprised by what you taste, and by when you’ve had enough.',
  },
  {
    title: 'Small breakout groups',
    text: 'A few women, one good question and time to answer it. Say as much or as little as you like; being listened to is half of it, and listening is the other half.',
  },
  {
    title: 'Guided movement and meditation',
    text: 'Friday, Saturday and Sunday begin in the body: moving gently, then sitting still. It’s for every shape, age and level of experience, beginners included.',
  },
  {
    title: 'Ongoing support after the retreat',
    text: 'The closing session isn’t goodbye. You go home, life resumes, and you stay connected through:',
    parts: ['Monthly group meetings', 'Personalized small group sessions', 'Peer support'],
  },
];
