"""From text to tokens: analyses, languages, scripts, dates, and splitting of documents."""
