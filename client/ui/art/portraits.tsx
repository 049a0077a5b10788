interface FaceProps {
  skin: string;
}

/** A calm face with lowered eyes; hair and clothes are drawn around it. */
function Face({ skin }: FaceProps) {
  return (
    <>
      <path
        className={skin}
        d="M80 36C98 36 106 50 105 66 104 84 92 100 80 100S56 84 55 66C54 50 62 36 80 36Z"
      />
      <g className="art-stroke-deep art-fine">
        <path d="M64 68c3 4 8 4 11 0M85 68c3 4 8 4 11 0" />
        <path d="M80 70c1 5 3 8 1 10l-3 1M72 86c4 5 12 5 16 0" />
      </g>
    </>
  );
}

function Neck({ skin }: FaceProps) {
  return (
    <>
      <path className={skin} d="M67 84H93V118C93 130 67 130 67 118Z" />
      <path className="art-shade" d="M67 92C72 102 88 104 93 94V100C88 110 74 110 67 102Z" />
    </>
  );
}

/** The author: long loose hair, a shawl, the sun behind her in an open door. */
export function AuthorPortrait() {
  return (
    <svg viewBox="4 0 152 196" aria-hidden="true">
      <clipPath id="author-portrait-frame">
        <path d="M4 196V82A76 76 0 0 1 156 82V196Z" />
      </clipPath>
      <g clipPath="url(#author-portrait-frame)">
        <path className="art-sky" d="M0 0H160V200H0Z" />
        <circle className="art-halo" cx="84" cy="84" r="68" />
        <circle className="art-glow" cx="84" cy="84" r="50" />
        <path className="art-far" d="M0 134C40 110 70 124 100 128S146 116 160 110V200H0Z" />
        <path className="art-mid" d="M0 160C40 136 110 140 160 150V200H0Z" />
        <g transform="translate(0 22)">
          <path
            className="art-hair"
            d="M82 20C112 20 121 48 119 74 117 98 122 112 130 130 112 144 100 142 94 128H66C60 142 46 144 30 130 38 114 43 98 41 76 39 48 52 20 82 20Z"
          />
          <Neck skin="art-skin" />
          <path className="art-light" d="M50 124L68 112C72 132 88 132 92 112L110 124 96 176H64Z" />
          <path className="art-accent" d="M8 176C10 138 34 124 62 114 66 136 80 152 104 164L100 176Z" />
          <path className="art-accent" d="M152 176C150 138 126 124 98 114 96 134 86 152 58 176Z" />
          <g className="art-stroke-light art-thin">
            <path d="M134 140C122 150 104 164 84 176M142 156C132 162 122 170 114 176" />
            <path d="M30 138C34 150 42 164 52 172" />
          </g>
          <Face skin="art-skin" />
          <path
            className="art-hair"
            d="M54 78C47 46 62 26 84 26 104 26 112 46 107 76 103 62 98 50 88 42 80 54 62 56 54 78Z"
          />
          <path
            className="art-stroke-glow art-thin"
            d="M90 32C104 40 112 58 112 84M84 34C68 38 52 54 50 86"
          />
        </g>
      </g>
    </svg>
  );
}

/** The memoirist: glasses, and a pencil through the knot of her hair. */
export function MemoiristPortrait() {
  return (
    <svg viewBox="0 0 160 160" aria-hidden="true">
      <path className="art-mid" d="M0 0H160V160H0Z" />
      <circle className="art-far" cx="94" cy="66" r="58" />
      <circle className="art-hair" cx="82" cy="22" r="17" />
      <path className="art-stroke-accent" d="M60 32L106 12" />
      <path className="art-hair" d="M80 26C106 26 113 46 111 70H49C47 46 54 26 80 26Z" />
      <Neck skin="art-skin-deep" />
      <path
        className="art-deep"
        d="M14 160C18 132 42 120 64 114L65 100C74 108 86 108 95 100L96 114C118 120 142 132 146 160Z"
      />
      <path className="art-stroke-light art-thin" d="M66 106c9 7 19 7 28 0" />
      <Face skin="art-skin-deep" />
      <path
        className="art-hair"
        d="M52 72C49 44 62 29 80 29S111 44 108 72C105 56 98 47 82 46 66 47 56 56 52 72Z"
      />
      <g className="art-stroke-light art-fine">
        <circle cx="69.5" cy="68" r="10" />
        <circle cx="90.5" cy="68" r="10" />
        <path d="M79.5 66h1" />
      </g>
    </svg>
  );
}

/** The television host: a bob, earrings, a broad collar. */
export function TelevisionHostPortrait() {
  return (
    <svg viewBox="0 0 160 160" aria-hidden="true">
      <path className="art-glow" d="M0 0H160V160H0Z" />
      <circle className="art-halo" cx="66" cy="70" r="60" />
      <path
        className="art-hair"
        d="M80 20C110 20 122 42 121 70 121 88 117 102 108 108H52C43 102 39 88 39 70 38 42 50 20 80 20Z"
      />
      <Neck skin="art-skin-dark" />
      <path className="art-near" d="M14 160C18 134 42 122 66 114L80 136 94 114C118 122 142 134 146 160Z" />
      <path className="art-light" d="M66 112L80 138 62 150 50 122ZM94 112L80 138 98 150 110 122Z" />
      <Face skin="art-skin-dark" />
      <path className="art-accent" d="M72 87C76 85 78 85 80 86 82 85 84 85 88 87 84 92 76 92 72 87Z" />
      <path
        className="art-hair"
        d="M51 70C46 40 62 24 82 24S113 42 109 70C92 66 72 62 64 50 62 58 56 64 51 70Z"
      />
      <circle className="art-sun" cx="53" cy="88" r="4.5" />
      <circle className="art-sun" cx="107" cy="88" r="4.5" />
    </svg>
  );
}

/** The meditation teacher: cropped white hair and a shawl, the moon behind. */
export function MeditationTeacherPortrait() {
  return (
    <svg viewBox="0 0 160 160" aria-hidden="true">
      <path className="art-near" d="M0 0H160V160H0Z" />
      <circle className="art-mid" cx="80" cy="66" r="58" />
      <path className="art-path" d="M80 24C104 24 113 42 110 66L106 80H54L50 66C47 42 56 24 80 24Z" />
      <Neck skin="art-skin" />
      <path
        className="art-wood"
        d="M12 160C14 132 40 122 64 112 70 124 90 124 96 112 120 122 146 132 148 160Z"
      />
      <path
        className="art-accent"
        d="M44 120C60 112 64 112 68 108 74 128 92 140 122 160H84C62 152 48 138 44 120Z"
      />
      <path className="art-stroke-light art-thin" d="M56 120C66 138 82 150 100 158" />
      <Face skin="art-skin" />
      <path
        className="art-path"
        d="M53 66C49 40 64 26 80 26S112 40 107 66C104 54 99 47 92 43 82 48 62 48 53 66Z"
      />
    </svg>
  );
}
