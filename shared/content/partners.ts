import type { MediaOutlet } from './entities.ts';

export const partnersTitle = 'In good company';

export const partners: readonly MediaOutlet[] = [
  { name: 'Morning TV', logo: 'broadcast', sample: true },
  { name: 'Literary Review', logo: 'didone', sample: true },
  { name: 'Public Radio', logo: 'monospace', sample: true },
  { name: 'Retreat Center', logo: 'spaced', sample: true },
  { name: 'Women’s Magazine', logo: 'italic', sample: true },
  { name: 'Daily Newspaper', logo: 'masthead', sample: true },
  { name: 'Wellness Podcast', logo: 'poster', sample: true },
  { name: 'Independent Bookshop', logo: 'slab', sample: true },
  { name: 'Book Club', logo: 'ruled', sample: true },
  { name: 'Meditation Circle', logo: 'small-caps', sample: true },
];
