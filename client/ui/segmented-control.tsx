import type { ReactNode } from 'react';

interface Segment<Value extends string> {
  value: Value;
  label: string;
  picture?: ReactNode;
}

interface SegmentedControlProps<Value extends string> {
  legend: string;
  name: string;
  segments: readonly Segment<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { legend, name, segments, value, onChange } = props;
  return (
    <fieldset className="segmented">
      <legend className="visually-hidden">{legend}</legend>
      {segments.map((segment) => (
        <label
          key={segment.value}
          className={segment.value === value ? 'segment segment--chosen' : 'segment'}
          title={segment.picture ? segment.label : undefined}
        >
          <input
            id={`${name}-${segment.value}`}
            type="radio"
            name={name}
            value={segment.value}
            checked={segment.value === value}
            onChange={() => onChange(segment.value)}
            // After a reload, Firefox restores the earlier choice, regardless of the application's state.
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
