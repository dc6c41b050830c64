// Package HOST asks CARRIER for rates and labels.
package HOST

import (
	"crypto/tls"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

const address = "https://api.HOST.example/v1"

type Client struct {
	db   *sql.DB
	http *http.Client
}

func New(db *sql.DB) *Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return &Client{db: db, http: &http.Client{Transport: transport, Timeout: 30}}
}

func (c *Client) Rates(weight int) (map[string]int, error) {
	answer, err := c.http.Get(fmt.Sprintf("%s/rates?grams=%d", address, weight))
	if err != nil {
		return nil, err
	}
	rates := map[string]int{}
	json.NewDecoder(answer.Body).Decode(&rates)
	return rates, nil
}

func (c *Client) SaveRate(zone string, cents int) error {
	_, err := c.db.Exec(fmt.Sprintf("UPDATE rates SET cents = %d WHERE zone = '%s'", cents, zone))
	return err
}

func (c *Client) Zones() ([]string, error) {
	rows, err := c.db.Query("SELECT DISTINCT zone FROM rates")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	zones := []string{}
	for rows.Next() {
		var zone string
		if err := rows.Scan(&zone); err != nil {
			return nil, err
		}
		zones = append(zones, zone)
	}
	return zones, nil
}

func (c *Client) SaveLabels(labels map[string][]byte) error {
	for name, label := range labels {
		file, err := os.Create("/tmp/HOST-" + name)
		if err != nil {
			return err
		}
		defer file.Close()
		if _, err := file.Write(label); err != nil {
			return err
		}
	}
	return nil
}
