import type { MediaOutlet } from './entities.ts';

export const mediaTitle = 'In the media';

/** Two rows, as they are shown: broadcasters and news first, magazines second. A mark breaks at its spaces. */
export const mediaRows: readonly (readonly MediaOutlet[])[] = [
  [
    { name: 'Morning TV', logo: 'broadcast', sample: true },
    { name: 'Breakfast Show', logo: 'poster', sample: true },
    { name: 'Daytime Talk', logo: 'italic', sample: true },
    { name: 'Afternoon TV', logo: 'spaced', sample: true },
    { name: 'City Newspaper', logo: 'masthead', sample: true },
    { name: 'Lifestyle Site', logo: 'small-caps', sample: true },
    { name: 'Public Radio', logo: 'monospace', sample: true },
    { name: 'News\u00a0Magazine Show', logo: 'slab', sample: true },
    { name: 'Weekly\u00a0News Magazine', logo: 'ruled', sample: true },
  ],
  [
    { name: 'Wellness Brand', logo: 'broadcast', sample: true },
    { name: 'Women’s Magazine', logo: 'italic', sample: true },
    { name: 'Fashion Magazine', logo: 'didone', sample: true },
    { name: 'Spirit\u00a0and Wellbeing', logo: 'small-caps', sample: true },
    { name: 'National Newspaper', logo: 'masthead', sample: true },
  ],
];
