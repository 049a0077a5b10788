import type { Color } from '#shared/content/edition.ts';
import type { Written } from './schemas.ts';

/** What else depends on the scheme, by CSS property. */
const SCHEMES = {
  light: { 'color-scheme': 'light', '--illustration-half': 'left', '--logo-ink': 'none' },
  dark: { 'color-scheme': 'dark', '--illustration-half': 'right', '--logo-ink': 'invert(1)' },
};

/**
 * A palette as the custom properties of the style sheets. Dark where the device is or the visitor chose it, and in the deep
 * sections; light everywhere on paper.
 */
export function styleSheetOf(theme: Written['theme']): string {
  const [light, dark] = [declare(theme, 'light'), declare(theme, 'dark')];
  return `:root {
  --deep: ${theme.deep};
${light}
}
@media screen and (prefers-color-scheme: dark) {
:root:not([data-theme="light"]) {
${dark}
}
}
@media screen {
:root[data-theme="dark"],
.section--deep {
${dark}
}
}
`;
}

/** The colours of a scheme by CSS property. */
export function propertiesOf({ colors, art }: Written['theme'], scheme: keyof Color): Record<string, string> {
  return Object.fromEntries([
    ...Object.entries(colors).map(([name, color]) => [`--${name}`, color[scheme]]),
    ...Object.entries(art).map(([name, color]) => [`--art-${name}`, color[scheme]]),
  ]);
}

function declare(theme: Written['theme'], scheme: keyof Color): string {
  const properties = { ...SCHEMES[scheme], ...propertiesOf(theme, scheme) };
  return Object.entries(properties)
    .map(([name, value]) => `  ${name}: ${value};`)
    .join('\n');
}

/**
 * The web app manifest: name, icons and colours of the site when a visitor adds it to the home screen.
 * @see https://www.w3.org/TR/appmanifest/
 */
export function webManifestOf({ edition, theme }: Written): string {
  const { siteName, shortName } = edition;
  const icon = (size: number) => ({
    src: `/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
  });
  const manifest = {
    name: siteName,
    ...(shortName !== undefined && { short_name: shortName }),
    start_url: '/',
    display: 'browser',
    background_color: theme.colors.paper.light,
    theme_color: theme.deep,
    icons: [icon(192), icon(512), { ...icon(512), purpose: 'maskable' }],
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
