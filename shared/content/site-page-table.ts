/** The pages about the site itself, by the names under which an edition adds to them (`notices` in edition.yaml). */
export const sitePages = {
  privacy: { path: '/privacy', title: 'Privacy notice' },
  accessibility: { path: '/accessibility', title: 'Accessibility' },
  legal: { path: '/legal', title: 'Legal notice' },
  healthData: { path: '/health-data', title: 'Consumer health data' },
} as const;
export type SitePageName = keyof typeof sitePages;

export const sitePageNames: readonly SitePageName[] = ['privacy', 'accessibility', 'legal', 'healthData'];
