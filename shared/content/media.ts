import type { MediaOutlet } from './entities.ts';

export const mediaTitle = 'In the media';

/** Two rows, as they are shown: broadcasters and news first, magazines second. A mark breaks at its spaces. */
export const mediaRows: readonly (readonly MediaOutlet[])[] = [
  [
    { name: 'Morning TV', logo: 'broadcast' },
    { name: 'Breakfast Show', logo: 'poster' },
    { name: 'Daytime Talk', logo: 'italic' },
    { name: 'Afternoon TV', logo: 'spaced' },
    { name: 'City Newspaper', logo: 'masthead' },
    { name: 'Lifestyle Site', logo: 'small-caps' },
    { name: 'Public Radio', logo: 'monospace' },
    { name: 'News\u00a0Magazine Show', logo: 'slab' },
    { name: 'Weekly\u00a0News Magazine', logo: 'ruled' },
  ],
  [
    { name: 'Wellness Brand', logo: 'broadcast' },
    { name: 'Women’s Magazine', logo: 'italic' },
    { name: 'Fashion Magazine', logo: 'didone' },
    { name: 'Spirit\u00a0and Wellbeing', logo: 'small-caps' },
    { name: 'National Newspaper', logo: 'masthead' },
  ],
];
