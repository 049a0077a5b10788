import { metadata } from '#shared/content/metadata.ts';
import { ROOT_ELEMENT_ID, STATE_ELEMENT_ID } from '#shared/page.ts';

/** Where the browser finds what the build made. */
export interface PageAssets {
  script: string;
  style: string;
  preload: readonly string[];
}

interface DocumentProps {
  assets: PageAssets;
  /** The store's state as JSON, safe inside a script element. */
  stateJson: string;
  /** Stands where the application goes. */
  children: string;
}

/** The HTML around the application. Only the server renders it; the browser takes over its root element. */
export function Document({ assets, stateJson, children }: DocumentProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{metadata.title}</title>
        <meta name="description" content={metadata.description} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
        {assets.preload.map((href) => (
          <link key={href} rel="modulepreload" href={href} />
        ))}
        <script type="module" src={assets.script} />
      </head>
      <body>
        <div id={ROOT_ELEMENT_ID}>{children}</div>
        <script
          id={STATE_ELEMENT_ID}
          type="application/json"
          // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON with every `<` escaped
          dangerouslySetInnerHTML={{ __html: stateJson }}
        />
      </body>
    </html>
  );
}
