import { Art } from '#client/ui/art.tsx';
import { edition, formatDateRange } from '#shared/content/edition.ts';

/** The picture of link previews: the title, the days and the page's own doorway. */
export function SocialCard({ css }: { css: string }) {
  return (
    <html lang="en">
      <head>
        <style>{css}</style>
      </head>
      <body>
        <main>
          <h1>{edition.title}</h1>
          <p>{edition.subtitle}</p>
          <p className="dates">{formatDateRange(edition.startDate, edition.endDate)}</p>
        </main>
        <Art name="doorway" />
      </body>
    </html>
  );
}
