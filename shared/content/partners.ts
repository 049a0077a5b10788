import type { MediaOutlet } from './entities.ts';

export const partnersTitle = 'Partners of the retreat';

export const partners: readonly MediaOutlet[] = [
  { name: 'Yoga Studio', logo: 'broadcast', sample: true },
  { name: 'Literary Review', logo: 'didone', sample: true },
  { name: 'Listening Line', logo: 'monospace', sample: true },
  { name: 'Retreat Center', logo: 'spaced', sample: true },
  { name: 'Women’s Library', logo: 'italic', sample: true },
  { name: 'Publishing House', logo: 'masthead', sample: true },
  { name: 'Wellness Podcast', logo: 'poster', sample: true },
  { name: 'Independent Bookshop', logo: 'slab', sample: true },
  { name: 'Book Club', logo: 'ruled', sample: true },
  { name: 'Meditation Circle', logo: 'small-caps', sample: true },
];
