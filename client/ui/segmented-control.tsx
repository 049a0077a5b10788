import type { ReactNode } from 'react';

interface Segment<Value extends string> {
  value: Value;
  label: string;
  /** Stands before the label, or for it where the style sheet hides it. */
  picture?: ReactNode;
}

interface SegmentedControlProps<Value extends string> {
  /** What is chosen here. Read out, not shown. */
  legend: string;
  /** Unique on the page. */
  name: string;
  segments: readonly Segment<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** One choice of a few, all in view: radio buttons in a row, with their arrow keys. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { legend, name, segments, value, onChange } = props;
  return (
    <fieldset className="segmented">
      <legend className="visually-hidden">{legend}</legend>
      {segments.map((segment) => (
        <label key={segment.value} className="segment" title={segment.picture ? segment.label : undefined}>
          <input
            type="radio"
            name={name}
            value={segment.value}
            checked={segment.value === value}
            onChange={() => onChange(segment.value)}
            // Firefox checks again what was chosen before a reload, whatever the application knows.
            ref={(input) => {
              if (input) input.checked = segment.value === value;
            }}
          />
          {segment.picture}
          <span>{segment.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
