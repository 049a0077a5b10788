import type { MediaOutlet } from './entities.ts';

export const partnersTitle = 'Partners of the retreat';

export const partners: readonly MediaOutlet[] = [
  { name: 'Yoga Studio', logo: 'broadcast' },
  { name: 'Literary Review', logo: 'didone' },
  { name: 'Listening Line', logo: 'monospace' },
  { name: 'Retreat Center', logo: 'spaced' },
  { name: 'Women’s Library', logo: 'italic' },
  { name: 'Publishing House', logo: 'masthead' },
  { name: 'Wellness Podcast', logo: 'poster' },
  { name: 'Independent Bookshop', logo: 'slab' },
  { name: 'Book Club', logo: 'ruled' },
  { name: 'Meditation Circle', logo: 'small-caps' },
];
