// Command oracle renders templates with Go's own text/template, so that the answers can be recorded.
//
// It reads one JSON object a line and writes one a line, in the same order:
//
//	{"template": "…", "data": …, "name": "…", "delims": ["", ""], "functions": "" | "sprig" | "probe"}
//	{"output": "…"}  {"error": "…"}  or, where either is not UTF-8, {"output_hex": "…"}
//
// data is JSON in which {"$type": "int32", "value": 5} is a Go value of that type (values.go), and
// the types of types.go may be named. A Go panic is an error that begins with "panic: ".
//
// "oracle version" prints the release of Go, "oracle printable" the table of golang/strconv/isprint.json, and
// "oracle cases" the code points that package strings maps to others (tests/go/data/cases.json).
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/Masterminds/sprig/v3"
)

type request struct {
	Name      string          `json:"name"`
	Template  text            `json:"template"`
	Data      json.RawMessage `json:"data"`
	Delims    [2]string       `json:"delims"`
	Functions string          `json:"functions"`
}

// text is a string, or {"hex": "…"} where it is not UTF-8.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var bytes struct{ Hex string }
	if json.Unmarshal(data, &bytes) == nil {
		decoded, err := hex.DecodeString(bytes.Hex)
		*t = text(decoded)
		return err
	}
	return json.Unmarshal(data, (*string)(t))
}

func main() {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "version":
			fmt.Println(runtime.Version())
		case "printable":
			fmt.Println(printableSteps())
		case "cases":
			printCases(os.Stdout)
		}
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var row request
		if err := json.Unmarshal(line, &row); err != nil {
			log.Fatalf("%s: %s", err, line)
		}
		if err := encoder.Encode(answer(row)); err != nil {
			log.Fatal(err)
		}
		if in.Buffered() == 0 {
			out.Flush()
		}
	}
}

func answer(row request) map[string]string {
	output, err := render(row)
	if err != nil {
		return printable("error", err.Error())
	}
	return printable("output", output)
}

func printable(key, value string) map[string]string {
	if utf8.ValidString(value) {
		return map[string]string{key: value}
	}
	return map[string]string{key + "_hex": hex.EncodeToString([]byte(value))}
}

func render(row request) (output string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	data, err := decode(row.Data)
	if err != nil {
		log.Fatalf("%s: %s", err, row.Data)
	}
	parsed, err := template.New(row.Name).
		Delims(row.Delims[0], row.Delims[1]).
		Funcs(functions(row.Functions)).
		Parse(string(row.Template))
	if err != nil {
		return "", err
	}
	var written strings.Builder
	err = parsed.Execute(&written, data)
	return written.String(), err
}

// printableSteps tells, in hex, how far apart the code points lie at which strconv.IsPrint changes its mind.
func printableSteps() string {
	var steps []string
	last, before := rune(0), false
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if now := strconv.IsPrint(r); now != before {
			steps = append(steps, strconv.FormatInt(int64(r-last), 16))
			last, before = r, now
		}
	}
	return strings.Join(steps, " ")
}

// printCases writes, for each function, the letters that it changes, and what it makes of them.
func printCases(out io.Writer) {
	table := map[string][2]string{"go": {runtime.Version(), unicode.Version}}
	for name, function := range map[string]func(string) string{
		"to_upper": strings.ToUpper, "to_lower": strings.ToLower, "title": strings.Title,
	} {
		var letters, mapped strings.Builder
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if letter := string(r); utf8.ValidRune(r) && function(letter) != letter {
				letters.WriteString(letter)
				mapped.WriteString(function(letter))
			}
		}
		table[name] = [2]string{letters.String(), mapped.String()}
	}
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(table); err != nil {
		log.Fatal(err)
	}
}

func functions(library string) template.FuncMap {
	switch library {
	case "sprig":
		return sprig.TxtFuncMap()
	case "probe":
		return probes
	default:
		return nil
	}
}
