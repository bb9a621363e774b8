module oracle/formats

go 1.26
