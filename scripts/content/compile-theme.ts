import type { Color } from '#shared/content/edition.ts';
import type { Written } from './schemas.ts';

/** A palette as the custom properties of the style sheets; tokens.css says how they follow the scheme. */
export function styleSheetOf({ deep, colors, art }: Written['theme']): string {
  const properties = [
    `--deep: ${deep};`,
    ...Object.entries(colors).map(([name, color]) => `--${name}: ${byScheme(color)};`),
    ...Object.entries(art).map(([name, color]) => `--art-${name}: ${byScheme(color)};`),
  ];
  return `:root {\n  ${properties.join('\n  ')}\n}\n`;
}

const byScheme = ({ light, dark }: Color): string => `light-dark(${light}, ${dark})`;

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
