/** A colour by day and by night. */
export interface Colour {
  light: string;
  dark: string;
}

/** The page's own colours (`client/styles/tokens.css`); mail clients know no custom properties. */
export const palette = {
  paper: { light: '#fbf6ef', dark: '#1b1319' },
  sand: { light: '#efe3d3', dark: '#2a1e27' },
  ink: { light: '#33202e', dark: '#f4e9dc' },
  inkSoft: { light: '#554151', dark: '#d3c3bc' },
  accent: { light: '#b4472f', dark: '#f0a27c' },
  accentText: { light: '#9c3a25', dark: '#f0a27c' },
  onAccent: { light: '#fbf6ef', dark: '#1b1319' },
  rule: { light: '#d8c8b6', dark: '#4b3a47' },
} as const satisfies Record<string, Colour>;
