import type { Testimonial, VideoTestimonial } from './entities.ts';

export const testimonialsTitle = 'In their own words';

export const testimonials: readonly Testimonial[] = [
  {
    quote:
      'I came expecting to be told what to eat. Instead somebody asked me what I was hungry for, and I cried, because in all those diets nobody ever had.',
    author: 'Retreat participant, 2019',
    sample: true,
  },
  {
    quote:
      'I joined from my bedroom with the door locked and the camera off. By Sunday I was laughing with women I had known for three days, a sandwich in my hand.',
    author: 'Retreat participant, 2021',
    sample: true,
  },
  {
    quote:
      'The voice that calls me names still pipes up. Now I make it a cup of tea and carry on. That is the whole change, and it is enormous.',
    author: 'Retreat participant, 2023',
    sample: true,
  },
];

export const videoTestimonialsTitle = 'On video';

export const videoWords = {
  /** Before the name of a video; read out, not shown. */
  play: 'Play the video:',
  playsFrom: 'Plays from',
  /** Beside a player that may not come: blocked, or offline. */
  notPlaying: 'Not playing?',
  watchAt: 'Watch it on',
} as const;

/** The clip and the embed address are stand-ins: `placeholder` can never be the id of a real video. */
export const videoTestimonials: readonly VideoTestimonial[] = [
  {
    src: '/media/testimonial-2020.mp4',
    label: 'Retreat participant, 2020',
    poster: '/media/testimonial-2020.jpg',
    captions: [{ src: '/media/testimonial-2020.en.vtt', language: 'en', label: 'English' }],
    sample: true,
  },
  {
    src: 'https://www.youtube-nocookie.com/embed/placeholder',
    label: 'Retreat participant, 2023',
    poster: '/media/testimonial-2023.svg',
    sample: true,
  },
];
