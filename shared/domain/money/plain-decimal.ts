/** One text for each decimal without sign and exponent, however it was written: `10` of `10.0` and `010`. */
export const plainDecimal = (text: string): string =>
  (text.includes('.') ? text.replace(/\.?0+$/, '') : text).replace(/^0+(?=\d)/, '');
