// Answers how Go's standard library reads and writes durations, numbers, addresses, URLs, and times.
//
// It reads one JSON object a line, {"function": "…", "text": "…"}, and writes it with "value" or "error".
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

type row struct {
	Function string `json:"function"`
	Text     string `json:"text"`
	Value    string `json:"value,omitempty"`
	Error    string `json:"error,omitempty"`
}

var functions = map[string]func(string) (string, error){
	"time.ParseDuration": func(text string) (string, error) {
		duration, err := time.ParseDuration(text)
		return fmt.Sprintf("%d %s", duration, duration), err
	},
	"time.Parse": func(text string) (string, error) {
		moment, err := time.Parse(time.RFC3339, text)
		return moment.Format(time.RFC3339Nano), err
	},
	"strconv.ParseFloat": func(text string) (string, error) {
		number, err := strconv.ParseFloat(text, 64)
		single := strconv.FormatFloat(float64(float32(number)), 'g', -1, 32)
		encoded, _ := json.Marshal(number)
		plain := strconv.FormatFloat(number, 'f', -1, 64)
		return strings.Join([]string{strconv.FormatFloat(number, 'g', -1, 64), plain, single, string(encoded)}, " "), err
	},
	"strconv.ParseInt": func(text string) (string, error) {
		number, err := strconv.ParseInt(text, 0, 64)
		return strconv.FormatInt(number, 10), err
	},
	"strconv.Atoi": func(text string) (string, error) {
		number, err := strconv.ParseInt(text, 10, 64)
		return strconv.FormatInt(number, 10), err
	},
	"strconv.ParseUint": func(text string) (string, error) {
		number, err := strconv.ParseUint(text, 10, 16)
		return strconv.FormatUint(number, 10), err
	},
	"strconv.ParseBool": func(text string) (string, error) {
		value, err := strconv.ParseBool(text)
		return strconv.FormatBool(value), err
	},
	"netip.ParseAddr": func(text string) (string, error) {
		addr, err := netip.ParseAddr(text)
		return describe(addr), err
	},
	"netip.ParsePrefix": func(text string) (string, error) {
		prefix, err := netip.ParsePrefix(text)
		return prefix.String() + " " + prefix.Masked().String(), err
	},
	"net.ParseCIDR": func(text string) (string, error) {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return "", err
		}
		return network.String(), nil
	},
	"net.SplitHostPort": func(text string) (string, error) {
		host, port, err := net.SplitHostPort(text)
		return host + " " + port, err
	},
	"url.Parse": func(text string) (string, error) {
		parsed, err := url.Parse(text)
		if err != nil {
			return "", err
		}
		parts := []string{parsed.Scheme, parsed.Opaque, parsed.Host, parsed.Hostname(), parsed.Port(), parsed.Path,
			parsed.EscapedPath(), parsed.RawQuery, parsed.Fragment, parsed.String()}
		return strings.Join(parts, "\n"), nil
	},
	"url.ParseRequestURI": func(text string) (string, error) {
		_, err := url.ParseRequestURI(text)
		return "", err
	},
	"url.ParseQuery": func(text string) (string, error) {
		values, _ := url.ParseQuery(text)
		keys := make([]string, 0, len(values))
		for key := range values {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		encoded, err := json.Marshal(values)
		return string(encoded), err
	},
	"regexp.FindAllString": func(text string) (string, error) {
		pattern, subject, _ := strings.Cut(text, "\n")
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return "", err
		}
		encoded, err := json.Marshal(compiled.FindAllString(subject, -1))
		return string(encoded), err
	},
}

// describe writes an address and its kinds, one letter each.
func describe(addr netip.Addr) string {
	kinds := ""
	for _, kind := range []struct {
		letter string
		is     bool
	}{
		{"4", addr.Is4()}, {"m", addr.Is4In6()}, {"u", addr.IsUnspecified()}, {"l", addr.IsLoopback()},
		{"M", addr.IsMulticast()}, {"k", addr.IsLinkLocalUnicast()}, {"K", addr.IsLinkLocalMulticast()},
		{"g", addr.IsGlobalUnicast()},
	} {
		if kind.is {
			kinds += kind.letter
		}
	}
	return addr.String() + " " + kinds
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	for input.Scan() {
		var r row
		if err := json.Unmarshal(input.Bytes(), &r); err != nil {
			log.Fatalf("%s: %v", input.Text(), err)
		}
		value, err := functions[r.Function](r.Text)
		if err != nil {
			r.Error = err.Error()
		} else {
			r.Value = value
		}
		if err := output.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
}
