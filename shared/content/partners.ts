import type { MediaOutlet } from './entities.ts';

export const partnersTitle = 'In good company';

export const partners: readonly MediaOutlet[] = [
  { name: 'Morning TV', logo: 'broadcast' },
  { name: 'Literary Review', logo: 'didone' },
  { name: 'Public Radio', logo: 'monospace' },
  { name: 'Retreat Center', logo: 'spaced' },
  { name: 'Women’s Magazine', logo: 'italic' },
  { name: 'Daily Newspaper', logo: 'masthead' },
  { name: 'Wellness Podcast', logo: 'poster' },
  { name: 'Independent Bookshop', logo: 'slab' },
  { name: 'Book Club', logo: 'ruled' },
  { name: 'Meditation Circle', logo: 'small-caps' },
];
