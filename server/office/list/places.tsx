import { placeFacts } from '#server/acts/places.ts';
import type { PlaceCounts } from '#server/register/places.ts';

/** The counts of a retreat's places, and whether more people have paid than there are places. */
export function PlacesAtAGlance({ places }: { places: PlaceCounts }) {
  const tooMany = places.paid - places.places;
  return (
    <section aria-labelledby="places">
      <h2 id="places">Places</h2>
      {tooMany > 0 && (
        <p role="alert">
          <strong className="office-need">
            {`${tooMany === 1 ? 'One person has' : `${tooMany} people have`} paid beyond the number of places.`}
          </strong>{' '}
          More places were offered than there are, or their number was lowered. Please decide whether there is
          room for them, or speak with those who registered last.
        </p>
      )}
      <dl className="office-glance">
        {placeFacts(places).map(({ count, words }) => (
          <div key={words}>
            <dt>{words}</dt>
            <dd>
              <span className="office-figure">{count.toLocaleString('en-US')}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
