import type { SelectHTMLAttributes } from 'react';
import { timeZoneWords, zoneChoices } from '#shared/content/time-zones.ts';

interface ZoneSelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  id: string;
  zones: readonly string[];
}

export function ZoneSelect({ id, zones, ...select }: ZoneSelectProps) {
  return (
    <>
      <label className="field__label" htmlFor={id}>
        {timeZoneWords.label}
      </label>
      <select id={id} className="field__control" {...select}>
        {zoneChoices(...zones).map((zone) => (
          <option key={zone.id} value={zone.id}>
            {zone.name}
          </option>
        ))}
      </select>
    </>
  );
}
